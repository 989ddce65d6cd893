import type { Trace } from './trace.ts'

const hot = 2_000

/** Made traffic that shows one trait each; the same requests at each run. */
export const madeTraces: Readonly<Record<'loops' | 'shifts' | 'scans', () => Trace>> = {
  /** A loop over 4,000 keys, which no LRU below that size can answer, between popular keys. */
  loops: () => made(200_000, (i, random) => (i % 2 === 0 ? `loop:${(i / 2) % 4_000}` : popular(random))),
  /** Other keys are popular after each 40,000 requests. */
  shifts: () => made(200_000, (i, random) => `${Math.floor(i / 40_000)}:${popular(random)}`),
  /** Popular keys; after each 20,000 requests 5,000 keys that come only once. */
  scans: () => made(200_000, (i, random) => (i % 25_000 >= 20_000 ? `once:${i}` : popular(random))),
}

function made(requests: number, keyOf: (i: number, random: () => number) => string): Trace {
  const random = mulberry32(1)
  const keys = Array.from({ length: requests }, (_, i) => keyOf(i, random))
  return { keys, sizes: keys.map(() => 1), isSized: false }
}

/** Few keys often, many now and then. */
function popular(random: () => number): string {
  return `hot:${Math.floor(hot ** random()) + Math.floor(random() * 8) * hot}`
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mix = Math.imul(state ^ (state >>> 15), state | 1)
    mix = (mix + Math.imul(mix ^ (mix >>> 7), mix | 61)) ^ mix
    return ((mix ^ (mix >>> 14)) >>> 0) / 4_294_967_296
  }
}
