import type { ModelEntity } from "#protocol/voices";
import type { users, voiceSamples, voices } from "../database/schema.js";

export type VoiceRow = typeof voices.$inferSelect;
export type SampleRow = typeof voiceSamples.$inferSelect;
export type AuthorRow = typeof users.$inferSelect;

/** A voice with all that its entity shows. */
export interface VoiceRecord {
  voice: VoiceRow;
  author: AuthorRow;
  /** In order of position. */
  samples: SampleRow[];
}

/** The voice as `/model` shows it. Nobody likes, marks or shares voices here: those counts are 0. */
export function toEntity({ voice, author, samples }: VoiceRecord): ModelEntity {
  return {
    _id: voice.id,
    type: "tts",
    title: voice.title,
    description: voice.description,
    cover_image: voice.coverDigest === null ? "" : `/model/${voice.id}/cover`,
    train_mode: "fast",
    state: "trained",
    tags: voice.tags,
    samples: samples.map((sample) => ({
      title: sample.title,
      text: sample.text,
      task_id: sample.taskId,
      audio: `/model/${voice.id}/samples/${sample.position}`,
    })),
    created_at: voice.createdAt.toISOString(),
    updated_at: voice.updatedAt.toISOString(),
    languages: voice.languages,
    visibility: voice.visibility,
    lock_visibility: false,
    dmca_taken_down: false,
    default_text: voice.defaultText,
    source: null,
    pvc_release_state: null,
    pvc_notice_period_months: null,
    pvc_released_at: null,
    pvc_retire_requested_at: null,
    pvc_retire_effective_at: null,
    quality: null,
    like_count: 0,
    mark_count: 0,
    shared_count: 0,
    task_count: voice.taskCount,
    unliked: false,
    liked: false,
    marked: false,
    author: { _id: author.id, nickname: author.nickname, avatar: author.avatar },
  };
}
