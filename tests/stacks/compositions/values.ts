import { type AnyLayer, codec, json } from '@unikv/core'

/** A value of a program. */
export interface Value {
  readonly id: number
  readonly text: string
}

/** Nothing can freeze it, or copy it truly. */
class PrivateValue implements Value {
  readonly #held: { id: number; text: string }

  constructor({ id, text }: Value) {
    this.#held = { id, text }
  }

  get id(): number {
    return this.#held.id
  }

  get text(): string {
    return this.#held.text
  }

  set text(text: string) {
    this.#held.text = text
  }
}

/** What makes bytes of values. */
export function codecOf(kind: 'plain' | 'private'): AnyLayer {
  if (kind === 'plain') return json<Value>()
  return codec<Value>({
    name: 'private',
    encode: ({ id, text }) => Buffer.from(JSON.stringify({ id, text })),
    decode: (bytes) => new PrivateValue(JSON.parse(Buffer.from(bytes).toString()) as Value),
  })
}

/** A value of this number. */
export function valueOf(kind: 'plain' | 'private', id: number): Value {
  const value = { id, text: textOf(id) }
  return kind === 'plain' ? value : new PrivateValue(value)
}

/** Whether somebody changed it. */
export function isSpoiled({ id, text }: Value): boolean {
  return text !== textOf(id)
}

/** What its owner may do to it. */
export function spoil(value: Value): void {
  if (!Object.isFrozen(value)) (value as { text: string }).text = 'spoiled'
}

function textOf(id: number): string {
  return `value ${id} `.repeat(20)
}
