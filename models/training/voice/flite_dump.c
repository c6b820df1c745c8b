/* Speaks lines of text with a flite voice and writes what was said, with the times of every phone.
 *
 *   flite_dump VOICE OUT < sentences        VOICE: slt, rms, awb or "none" (phones only, no sound)
 *
 * OUT.pcm: 16-bit mono samples of all lines, one after another (16 kHz for the cmu_us voices).
 * OUT.tsv: one line per sentence: first sample, samples, phones, text; separated by tabs.
 * A phone is `name:stress:end_seconds`. Pauses carry the punctuation before them (`pau,`); `_:0:t` is a word boundary.
 *
 * Build: gcc -O2 flite_dump.c -o flite_dump -lflite_cmu_us_slt -lflite_cmu_us_rms -lflite_cmu_us_awb \
 *            -lflite_usenglish -lflite_cmulex -lflite -lm
 */
#include <flite/flite.h>
#include <stdio.h>
#include <string.h>

cst_voice *register_cmu_us_slt(const char *);
cst_voice *register_cmu_us_rms(const char *);
cst_voice *register_cmu_us_awb(const char *);

static cst_voice *voice_of(const char *name) {
  if (!strcmp(name, "rms")) return register_cmu_us_rms(NULL);
  if (!strcmp(name, "awb")) return register_cmu_us_awb(NULL);
  return register_cmu_us_slt(NULL);
}

/* The first character of the punctuation before a pause, as one of . , ? ! ; or 0. */
static char pause_mark(cst_item *segment) {
  cst_item *before = item_prev(segment);
  const char *punctuation = before ? ffeature_string(before, "R:SylStructure.parent.parent.R:Token.parent.punc") : "";
  char mark = punctuation[0];
  if (mark == ':') mark = ';';
  return mark && strchr(".,?!;", mark) ? mark : 0;
}

/* Seconds; 0 for what was not spoken, as the cmu_us voices set times while they make the sound. */
static double end_of(cst_item *segment) {
  return segment && item_feat_present(segment, "end") ? item_feat_float(segment, "end") : 0.0;
}

static void write_phones(FILE *out, cst_utterance *utterance) {
  const void *last_word = NULL;
  for (cst_item *segment = relation_head(utt_relation(utterance, "Segment")); segment; segment = item_next(segment)) {
    const char *name = item_feat_string(segment, "name");
    cst_item *structure = item_as(segment, "SylStructure");
    cst_item *syllable = structure ? item_parent(structure) : NULL;
    cst_item *word = syllable ? item_parent(syllable) : NULL;
    const void *this_word = word ? (const void *)word->contents : NULL;
    if (this_word && last_word && this_word != last_word) fprintf(out, "_:0:%.4f ", end_of(item_prev(segment)));
    last_word = this_word;
    char mark[2] = {!strcmp(name, "pau") ? pause_mark(segment) : 0, 0};
    const char *stress = syllable ? ffeature_string(syllable, "stress") : "0";
    fprintf(out, "%s%s:%s:%.4f ", name, mark, stress, end_of(segment));
  }
}

/* Stands in for the sound of the voice "none". */
static cst_utterance *no_sound(cst_utterance *utterance) { return utterance; }

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: flite_dump slt|rms|awb|none OUT < sentences\n"), 2;
  flite_init();
  cst_voice *voice = voice_of(arguments[1]);
  int silent = !strcmp(arguments[1], "none");
  if (silent) feat_set(voice->features, "wave_synth_func", uttfunc_val(&no_sound));
  char line[8192], path[1024];
  snprintf(path, sizeof path, "%s.pcm", arguments[2]);
  FILE *sound = fopen(path, "wb");
  snprintf(path, sizeof path, "%s.tsv", arguments[2]);
  FILE *table = fopen(path, "w");
  if (!sound || !table) return perror(arguments[2]), 1;
  long first = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    cst_utterance *utterance = flite_synth_text(line, voice);
    cst_wave *wave = silent ? NULL : utt_wave(utterance);
    int samples = wave ? wave->num_samples : 0;
    if (wave) fwrite(wave->samples, 2, samples, sound);
    fprintf(table, "%ld\t%d\t", first, samples);
    write_phones(table, utterance);
    fprintf(table, "\t%s\n", line);
    first += samples;
    delete_utterance(utterance);
  }
  return fclose(sound) || fclose(table);
}
