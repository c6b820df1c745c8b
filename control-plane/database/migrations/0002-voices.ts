import type { Migration } from "./migration.js";

/** Saved voices and the samples that they were made from. */
export const voices: Migration = {
  name: "0002-voices",
  statements: [
    `CREATE TABLE voices (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      author_id text NOT NULL REFERENCES users (id),
      title text NOT NULL,
      title_folded text NOT NULL,
      description text NOT NULL,
      visibility text NOT NULL CHECK (visibility IN ('public', 'unlist', 'private')),
      tags text[] NOT NULL,
      languages text[] NOT NULL,
      title_languages text[] NOT NULL,
      default_text text NOT NULL,
      cover_digest text,
      enhance_audio_quality boolean NOT NULL,
      pitch_hz double precision NOT NULL,
      pitch_range_semitones double precision NOT NULL,
      syllables_per_second double precision NOT NULL,
      spectral_tilt_db_per_octave double precision NOT NULL,
      task_count bigint NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX voices_team ON voices (team_id, created_at)",
    "CREATE INDEX voices_visibility ON voices (visibility, task_count)",
    `CREATE TABLE voice_samples (
      voice_id text NOT NULL REFERENCES voices (id) ON DELETE CASCADE,
      position integer NOT NULL,
      title text NOT NULL,
      text text NOT NULL,
      task_id text NOT NULL,
      media_type text NOT NULL,
      duration_ms integer NOT NULL,
      PRIMARY KEY (voice_id, position)
    )`,
  ],
};
