/** A sentence for each layer that a stack may have. */
const sentences: Readonly<Record<string, string>> = {
  cache: 'answers reads from memory, or from a store that is nearer, and keeps what it reads',
  json: 'turns values into JSON and back',
  text: 'turns text into UTF-8 and back',
  structured: 'turns values into bytes and back, with dates, maps and binary data',
  compression: 'makes values smaller where that saves something',
  encryption: 'seals values, so that the store and its operators see ciphertext alone',
  delta: 'writes what changed of a value in place of the whole',
  resilience: 'tries again what may be tried again, and rejects calls at once while the store is down',
  mirror: 'keeps a second store equal, and answers from it while the first is down',
  writeBehind: 'answers writes when they are in a queue, and brings them to the store later',
  openTelemetry: 'makes spans of calls',
}

/** The sentence about a layer; `undefined`: it is one of the application. */
export function layerText(name: string): string | undefined {
  return Object.hasOwn(sentences, name) ? sentences[name] : undefined
}
