import { version } from "#common/version";
import { type ChannelMessage, type EventChannel, eventChannels } from "./event-channels.js";
import type { JsonSchema } from "./schemas.js";

/**
 * Builds the AsyncAPI 3.0 description (https://www.asyncapi.com/docs/reference/specification/v3.0.0) of the sockets, of
 * the events of calls and of webhooks.
 */
export function buildAsyncApi(): JsonSchema {
  const channels = eventChannels();
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Parley",
      version,
      description: "What Parley sends and takes besides requests and answers: sockets, events of calls, webhooks.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    channels: Object.fromEntries(channels.map((channel) => [channel.id, describeChannel(channel)])),
    operations: Object.assign({}, ...channels.map(describeOperations)),
    components: {
      messages: Object.fromEntries(
        channels.flatMap((channel) =>
          messageKeys(channel).map(([key, message]): [string, JsonSchema] => [key, describeMessage(message)]),
        ),
      ),
    },
  };
}

/** Messages of both directions; one name may come in both. */
function messageKeys({ id, toService, fromService }: EventChannel): [string, ChannelMessage][] {
  return [
    ...toService.map((message): [string, ChannelMessage] => [`${id}.to.${message.name}`, message]),
    ...fromService.map((message): [string, ChannelMessage] => [`${id}.from.${message.name}`, message]),
  ];
}

function describeChannel(channel: EventChannel): JsonSchema {
  const { address, title, description, query } = channel;
  const placeholders = [...(address ?? "").matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return {
    address: address === null ? null : address.replace(/:(\w+)/g, "{$1}"),
    title,
    description,
    ...(placeholders.length === 0
      ? {}
      : { parameters: Object.fromEntries(placeholders.map((name) => [name, { description: `The ${name}.` }])) }),
    messages: Object.fromEntries(messageKeys(channel).map(([key]) => [key, { $ref: `#/components/messages/${key}` }])),
    ...(query === null ? {} : { bindings: { ws: { method: "GET", query } } }),
  };
}

/** As AsyncAPI counts it, the service receives what clients send. */
function describeOperations({ id, toService, fromService }: EventChannel): JsonSchema {
  const operation = (action: "send" | "receive", way: "from" | "to", messages: ChannelMessage[]): JsonSchema => ({
    [`${action}.${id}`]: {
      action,
      channel: { $ref: `#/channels/${id}` },
      messages: messages.map(({ name }) => ({ $ref: `#/channels/${id}/messages/${id}.${way}.${name}` })),
    },
  });
  return {
    ...(toService.length === 0 ? {} : operation("receive", "to", toService)),
    ...(fromService.length === 0 ? {} : operation("send", "from", fromService)),
  };
}

function describeMessage({ name, summary, contentType, payload }: ChannelMessage): JsonSchema {
  return { name, ...(summary === "" ? {} : { summary }), contentType, payload };
}
