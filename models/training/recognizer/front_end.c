/*
 * Flite as the recognizer's teacher: sentences become phones, words become pronunciations, and (with a voice) audio.
 *
 *   front_end words                < one word a line           > word TAB in-lexicon(0|1) TAB phones with stress
 *   front_end phones               < one sentence a line       > phones, "_" between words, "pau" at pauses TAB sentence
 *   front_end speak VOICE OUT.pcm  < "stretch TAB f0 TAB text" > offset TAB samples TAB phones TAB text   (16 kHz, 16 bit)
 *   front_end times VOICE OUT.pcm  < the same                  > as speak, each phone followed by ":" and its end in seconds
 *
 * f0 is a factor for the statistical voices (slt, rms, awb) and a mean in Hz for the diphone voice (kal16); 0 leaves it alone.
 */
#include <flite/flite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cst_voice *register_cmu_us_slt(const char *);
cst_voice *register_cmu_us_rms(const char *);
cst_voice *register_cmu_us_awb(const char *);
cst_voice *register_cmu_us_kal16(const char *);
cst_lexicon *cmu_lex_init(void);

enum { LINE = 8192 };

static cst_utterance *no_audio(cst_utterance *utterance) { return utterance; }

static int read_line(char *line) {
  if (!fgets(line, LINE, stdin)) return 0;
  line[strcspn(line, "\n")] = 0;
  return 1;
}

static void print_phones(cst_utterance *utterance, int with_times) {
  void *previous = NULL;
  for (cst_item *phone = relation_head(utt_relation(utterance, "Segment")); phone; phone = item_next(phone)) {
    cst_item *in_structure = item_as(phone, "SylStructure");
    cst_item *syllable = in_structure ? item_parent(in_structure) : NULL;
    cst_item *word = syllable ? item_parent(syllable) : NULL;
    void *current = word ? (void *)word->contents : NULL;
    if (current && previous && current != previous) printf("_ ");
    if (current) previous = current;
    printf("%s", item_feat_string(phone, "name"));
    if (with_times) printf(":%.3f", item_feat_float(phone, "end"));
    printf(" ");
  }
}

static int words(void) {
  char line[LINE];
  cst_lexicon *lexicon = cmu_lex_init();
  while (read_line(line)) {
    cst_val *phones = lex_lookup(lexicon, line, NULL, NULL);
    printf("%s\t%d\t", line, in_lex(lexicon, line, NULL, NULL) != 0);
    for (const cst_val *phone = phones; phone; phone = val_cdr(phone)) printf("%s ", val_string(val_car(phone)));
    printf("\n");
    delete_val(phones);
  }
  return 0;
}

static int phones(void) {
  char line[LINE];
  cst_voice *voice = register_cmu_us_kal16(NULL);
  feat_set(voice->features, "wave_synth_func", uttfunc_val(&no_audio));
  while (read_line(line)) {
    cst_utterance *utterance = flite_synth_text(line, voice);
    if (utterance) print_phones(utterance, 0);
    printf("\t%s\n", line);
    if (utterance) delete_utterance(utterance);
  }
  return 0;
}

static cst_voice *voice_named(const char *name) {
  if (!strcmp(name, "slt")) return register_cmu_us_slt(NULL);
  if (!strcmp(name, "rms")) return register_cmu_us_rms(NULL);
  if (!strcmp(name, "awb")) return register_cmu_us_awb(NULL);
  if (!strcmp(name, "kal16")) return register_cmu_us_kal16(NULL);
  fprintf(stderr, "no voice %s: slt, rms, awb, kal16\n", name);
  exit(2);
}

static int speak(const char *name, const char *path, int with_times) {
  char line[LINE];
  cst_voice *voice = voice_named(name);
  const char *pitch = strcmp(name, "kal16") ? "f0_shift" : "int_f0_target_mean";
  FILE *out = fopen(path, "wb");
  long position = 0;
  if (!out) return 1;
  while (read_line(line)) {
    char *first = strchr(line, '\t'), *second = first ? strchr(first + 1, '\t') : NULL;
    if (!second) continue;
    *second = 0;
    const char *text = second + 1;
    const float f0 = (float)atof(first + 1);
    feat_set_float(voice->features, "duration_stretch", (float)atof(line));
    if (f0 > 0) feat_set_float(voice->features, pitch, f0);
    cst_utterance *utterance = flite_synth_text(text, voice);
    if (!utterance) continue;
    cst_wave *wave = utt_wave(utterance);
    fwrite(wave->samples, sizeof(short), wave->num_samples, out);
    printf("%ld\t%d\t", position, wave->num_samples);
    print_phones(utterance, with_times);
    printf("\t%s\n", text);
    position += wave->num_samples;
    delete_utterance(utterance);
  }
  return fclose(out);
}

int main(int count, char **arguments) {
  flite_init();
  if (count == 2 && !strcmp(arguments[1], "words")) return words();
  if (count == 2 && !strcmp(arguments[1], "phones")) return phones();
  if (count == 4 && !strcmp(arguments[1], "speak")) return speak(arguments[2], arguments[3], 0);
  if (count == 4 && !strcmp(arguments[1], "times")) return speak(arguments[2], arguments[3], 1);
  fprintf(stderr, "usage: front_end words | phones | speak VOICE OUT.pcm | times VOICE OUT.pcm\n");
  return 2;
}
