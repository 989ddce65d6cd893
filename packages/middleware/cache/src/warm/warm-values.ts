import { isDeepStrictEqual } from 'node:util'
import { compose, isEntry, isWritten, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { isBytes } from '@unikv/core/platform'
import type { WarmSettings } from './warm-options.ts'

const [byCodec, asBytes, asBuffer, asJson] = [0, 1, 2, 3]
const key = 'value'
const version = '0'.repeat(24)

/** A value as bytes. */
export interface WarmValue {
  /** 0: as the codec writes it; 1: bytes; 2: a Buffer; 3: JSON. */
  readonly kind: number
  readonly body: Buffer
}

/**
 * Values of a cache as bytes and back: bytes as they are, all else by the codec, or by default as JSON where that gives them
 * back as they were, at a quarter of the cost, and by `structured` where it does not. One at a time.
 */
export class WarmValues {
  /** Where the codec meets the bytes. */
  readonly #bytes = memory({ maxEntries: 1 })
  readonly #values: Store<unknown>
  readonly #takesJson: boolean

  /** @throws {StoreError} `INVALID_CONFIG` for a codec that stands on anything but bytes */
  constructor({ codec, takesJson }: Pick<WarmSettings, 'codec' | 'takesJson'>) {
    this.#takesJson = takesJson
    this.#values = compose(this.#bytes, [codec] as never) as Store<unknown>
  }

  /** `undefined` for a value that would not come back as it is. */
  async encode(value: unknown): Promise<WarmValue | undefined> {
    const kind = kindOf(value)
    if (kind !== byCodec) {
      const { buffer, byteOffset, length } = value as Uint8Array
      return { kind, body: Buffer.from(buffer, byteOffset, length) }
    }
    try {
      const text = this.#takesJson ? jsonOf(value) : undefined
      if (text !== undefined) return { kind: asJson, body: Buffer.from(text) }
      const [result] = await this.#values.write([{ type: 'set', key, value, version }], callOptions())
      if (result === undefined || !isWritten(result)) return undefined
      const [stored] = await this.#bytes.read([{ key }], callOptions())
      if (!isEntry(stored)) return undefined
      const { buffer, byteOffset, length } = stored.value
      const body = Buffer.from(buffer, byteOffset, length)
      const [back] = await this.#values.read([{ key }], callOptions())
      return isEntry(back) && isDeepStrictEqual(back.value, value) ? { kind, body } : undefined
    } catch {
      // The value's own code, or too much depth.
      return undefined
    }
  }

  /** The value in an object; `undefined` if these bytes are none. */
  async decode({ kind, body }: WarmValue): Promise<{ readonly value: unknown } | undefined> {
    if (kind === asBytes) return { value: new Uint8Array(body) }
    if (kind === asBuffer) return { value: ownBuffer(body) }
    const isJson = kind === asJson && this.#takesJson
    if (!isJson && kind !== byCodec) return undefined
    try {
      if (isJson) return { value: JSON.parse(body.toString()) as unknown }
      await this.#bytes.write([{ type: 'set', key, value: body, version }], callOptions())
      const [entry] = await this.#values.read([{ key }], callOptions())
      return isEntry(entry) ? { value: entry.value } : undefined
    } catch {
      return undefined
    }
  }
}

/** The value as JSON, if that gives it back as it is. */
function jsonOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text !== undefined && isDeepStrictEqual(JSON.parse(text), value) ? text : undefined
  } catch {
    // A BigInt, or a cycle: the codec may know how.
    return undefined
  }
}

/** An instance of a subclass of bytes is left to the codec. */
function kindOf(value: unknown): number {
  if (!isBytes(value)) return byCodec
  const prototype: unknown = Object.getPrototypeOf(value)
  // Bytes of another realm are for the codec too: they come back as what it makes of them.
  if (prototype === Buffer.prototype) return asBuffer // oxlint-disable-line no-restricted-properties
  return prototype === Uint8Array.prototype ? asBytes : byCodec // oxlint-disable-line no-restricted-properties
}

/** A view would keep all of the chunk alive. */
function ownBuffer(body: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(body.length)
  body.copy(own)
  return own
}
