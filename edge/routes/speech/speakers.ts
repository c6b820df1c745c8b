import { listSpeakers } from "#protocol/operations/speech";
import type { SpeakerList } from "#protocol/speech/speakers";
import { chooseModel } from "#speech/voice/model";
import { namedSpeakers } from "#speech/voice/named-speaker";
import { answerJson } from "../../http/answers.js";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRoute } from "../../http/exchange.js";
import { admitSpeaker } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";

/** `GET /v1/tts/speakers`: whom requests to the model of the header may name, in the order in which models serve it. */
export function speakersRoute(context: SpeechContext): HttpRoute {
  return declaredRoute(listSpeakers, async (request, responder) => {
    await admitSpeaker(request, context);
    const { folders } = chooseModel(request.header("model"), context.config);
    const items = namedSpeakers(context.speech.servedModels(folders)).map(({ id, model, languages }) => ({
      ...{ id, voice_model: model, languages: [...languages] },
    }));
    answerJson(responder, 200, { total: items.length, items } satisfies SpeakerList);
  });
}
