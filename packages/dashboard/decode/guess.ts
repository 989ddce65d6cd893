import { decode as decodeMsgpack } from '@msgpack/msgpack'
import { Decoder } from 'cbor-x/decode-no-eval'
import { imageType } from './images.ts'

/** The decoder that fits bytes, by the first of them. Those that only may fit must fit as a whole. */
export function guessed(
  bytes: Uint8Array,
): 'gzip' | 'zstd' | 'image' | 'json' | 'text' | 'msgpack' | 'cbor' | 'hex' {
  const [first = 0, second, third, fourth] = bytes
  if (first === 0x1f && second === 0x8b) return 'gzip'
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return 'zstd'
  if (imageType(bytes) !== undefined) return 'image'
  const text = textOf(bytes)
  if (text !== undefined) return isJson(text) ? 'json' : 'text'
  if (first === 0xd9 && second === 0xd9 && third === 0xf7) return 'cbor'
  const isMap = (first & 0xe0) === 0x80 || (first >= 0xdc && first <= 0xdf)
  if (isMap && isWhole(() => decodeMsgpack(bytes))) return 'msgpack'
  const isTree = first >= 0x80 && first <= 0xbf
  return isTree && isWhole(() => new Decoder({ mapsAsObjects: false }).decode(bytes)) ? 'cbor' : 'hex'
}

/** Both decoders refuse bytes that are left over. */
function isWhole(decode: () => unknown): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

/** `undefined`: it is not text that people read. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A number or a word is JSON, too, but is better read as text. */
function isJson(text: string): boolean {
  return /^\s*[[{"]/.test(text) && isWhole(() => JSON.parse(text))
}
