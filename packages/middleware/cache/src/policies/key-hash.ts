/** A hash of a key in 32 bits, never 0: FNV-1a over its UTF-16 units, mixed as by murmur3. */
export function keyHash(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return mixed(hash) || 1
}

/** The same 32 bits in another order: neighbours are far apart. */
function mixed(hash: number): number {
  let mix = hash
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}
