/** The round in which a key was last seen, by the hash of the key. */
const seenIn = new Int32Array(4_096)
let round = 0

/** Whether no key is there twice. Few keys have hashes of their own, and a `Set` of them takes ten times as long. */
export function areDistinct(keys: readonly string[]): boolean {
  round = (round + 1) | 0
  for (const key of keys) {
    let hash = 0
    for (let i = Math.max(0, key.length - 16); i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0
    hash &= 4_095
    if (seenIn[hash] === round) return new Set(keys).size === keys.length
    seenIn[hash] = round
  }
  return true
}
