// What the schema of scenario files says of a link's loss and queue, and of a flow: the page's forms are made of it.

/** @param {any} schema @param {any} part */
const followed = (schema, part) => (part?.$ref ? schema.definitions[part.$ref.replace("#/definitions/", "")] : part);

/** The sorts of a key that is a table with one of several keys. @param {any} schema @param {"loss" | "queue"} key */
export function sorts(schema, key) {
  const table = schema.properties.dumbbell.properties.bottleneck.properties[key];
  const list = Object.entries(followed(schema, table).properties).map(([name, part]) => ({ name, part: followed(schema, part) }));
  // `on` and `ack_filter` go beside a sort; a trace is a file, which a page cannot read.
  return list.filter(({ name }) => !["on", "ack_filter", "trace"].includes(name));
}

/** A value to begin with: the examples of what must be set. @param {any} part @returns {unknown} */
export function example(part) {
  if (part.type !== "object") return part.examples?.[0] ?? part.default;
  return Object.fromEntries((part.required ?? []).map((/** @type {string} */ key) => [key, part.properties[key].examples?.[0] ?? part.properties[key].default]));
}

/** What a description says first. @param {string | undefined} text */
export const firstSentence = (text) => (text ?? "").split(/(?<=\.)\s/)[0];
