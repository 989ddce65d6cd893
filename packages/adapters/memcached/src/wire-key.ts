import { createHash } from 'node:crypto'

/*
 * A key of memcached has at most 250 characters without space or control character. Keys travel in base64 (meta flag
 * `b`), which makes 186 bytes of them: 6 that stand for the dataset, and 180 of the canonical key as it is. Base64 has
 * no character that could end a key or a command.
 */

/** Bytes of the key that stand for the dataset: no padding comes between them and the key. */
const datasetBytes = 6

/** How the records of a dataset are told from others. */
export interface DatasetMark {
  /** The start of every key, in base64. */
  readonly prefix: string
  /** The client flags of every record (32 bits): further bits of the hash, looked at on every read. */
  readonly flags: number
}

/** The mark of a dataset: 80 bits of the SHA-256 of its name, 48 in the key and 32 beside the value. */
export function markOf(dataset: string): DatasetMark {
  const hash = createHash('sha256').update(dataset).digest()
  return { prefix: hash.toString('base64', 0, datasetBytes), flags: hash.readUInt32BE(datasetBytes) }
}

/** Where keys are encoded: the longest canonical key is not longer, and what is longer has a place of its own. */
const scratch = Buffer.allocUnsafeSlow(180)

/** The key on the wire. */
export function wireKey(prefix: string, key: string): string {
  // A string has at most three bytes a unit.
  if (key.length > scratch.length / 3) return prefix + Buffer.from(key, 'utf8').toString('base64')
  return prefix + scratch.toString('base64', 0, scratch.write(key, 0, 'utf8'))
}

/**
 * The key of a record as the commands of memcached name it with the flag `b`, to look at it with other tools. `key`
 * is canonical: a plain key outside of namespaces.
 */
export function memcachedKey(dataset: string, key: string): string {
  return wireKey(markOf(dataset).prefix, key)
}
