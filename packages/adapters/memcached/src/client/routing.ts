/**
 * Which server holds a key: rendezvous hashing. Each server gets a score for the key, and the highest wins; a server
 * more or less moves only the keys that it wins or held. The order of the list does not matter.
 *
 * score = fmix32(fnv1a(key) ^ fnv1a('host:port')), unsigned, of the key as it is on the wire. Equal scores: the server
 * whose name sorts first.
 */
export function rendezvous(names: readonly string[]): (key: string) => number {
  const seeds = names.map(fnv1a)
  const order = names
    .map((_, i) => i)
    .toSorted((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1))
  return (key) => {
    const hash = fnv1a(key)
    let best = 0
    let bestScore = -1
    for (const i of order) {
      const score = fmix32(hash ^ (seeds[i] as number))
      if (score > bestScore) [best, bestScore] = [i, score]
    }
    return best
  }
}

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** The finalizer of MurmurHash3, 32 bits. */
function fmix32(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
