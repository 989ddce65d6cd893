import { createHash } from 'node:crypto'

/*
 * How keys become names of files. Names are made of a to z, 0 to 9, '-', '_' and '%' alone, so that they are the
 * same on file systems that fold case, normalise or forbid characters, and the first two characters say what a
 * file is, so that no key can take the name of another kind, nor one that Windows keeps for devices:
 *
 *   k-…   a record; the rest is the key, its UTF-8 bytes outside a-z, 0-9, '-' and '_' as '%' and two digits
 *   d-…   a record whose key is too long for that: the SHA-256 of the key; the key stands in front of the record
 *   t-…   a record that is being written (`owner.ts` identifies the writer)
 *
 * Two different keys never have one name: the first form can be read back, the second is checked on every read.
 */

/** Longest name. File systems take 255 bytes, encrypting ones 143. */
const maxNameLength = 128
/** Longest key in UTF-8 bytes. Part of the stored format as far as longer ones are not found. */
export const maxKeyBytes = 1_024
/** Folders that records are spread over. Part of the stored format. */
export const shardNames: readonly string[] = Array.from('0123456789abcdef')

const digestNameLength = 2 + 64

/** Where the record of a key is, inside the dataset's folder. */
export interface KeyName {
  /** Folder, one hexadecimal digit. */
  readonly shard: string
  readonly name: string
  /** The bytes in front of the record: nothing, or the length of the key and the key. */
  readonly head: Buffer
}

const noHead: Buffer = Buffer.alloc(0)

/** The place of a canonical key. */
export function nameOfKey(key: string): KeyName {
  const plain = `k-${escaped(key)}`
  if (plain.length <= maxNameLength) return { shard: shardOf(plain), name: plain, head: noHead }
  const bytes = Buffer.from(key)
  const name = `d-${createHash('sha256').update(bytes).digest('hex')}`
  const head = Buffer.concat([Buffer.allocUnsafe(2), bytes])
  head.writeUInt16BE(bytes.length)
  return { shard: shardOf(name), name, head }
}

/** The key that a name spells out; `undefined` if the name is not of this form. */
export function keyOfName(name: string): string | undefined {
  if (!name.startsWith('k-') || name.length > maxNameLength) return undefined
  const key = unescaped(name.slice(2))
  return key !== undefined && key !== '' && `k-${escaped(key)}` === name ? key : undefined
}

/** Whether a name stands for a key that is in the file. */
export function isDigestName(name: string): boolean {
  return name.length === digestNameLength && /^d-[0-9a-f]{64}$/.test(name)
}

/** The key in front of a record; `undefined` if there is none, or not the one of this name. */
export function keyInFront(content: Buffer, name: string): string | undefined {
  if (content.length < 2) return undefined
  const end = 2 + content.readUInt16BE()
  if (content.length < end) return undefined
  const key = content.toString('utf8', 2, end)
  return key.isWellFormed() && key !== '' && nameOfKey(key).name === name ? key : undefined
}

/** FNV-1a over the name, which is ASCII. */
function shardOf(name: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return shardNames[(hash >>> 0) % shardNames.length] as string
}

function escaped(key: string): string {
  if (/^[a-z0-9_-]*$/.test(key)) return key
  let name = ''
  for (const byte of Buffer.from(key))
    name += isPlain(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`
  return name
}

function isPlain(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f
}

function unescaped(name: string): string | undefined {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
