import { type Corpus, slotCount, wordBytes } from './corpus.ts'

/** A piece of the corpus: its words begin at `start` to `end`, which is excluded. */
interface Segment {
  readonly start: number
  readonly end: number
  readonly score: number
}

/** How often each part of the corpus is asked for its best piece. */
const passes = 4

/**
 * The pieces of at most `segmentBytes` whose words are in the most samples, each word counted once: so what is in
 * the dictionary already makes no other piece attractive. The first found stand last. Fewer than `maxBytes` if
 * there is no more in common.
 *
 * The corpus is gone through part by part, so that no kind of sample takes the whole dictionary (the algorithm is
 * that of Liao, Petri, Moffat and Wirth, Effective construction of relative Lempel-Ziv dictionaries, 2016).
 */
export function selectSegments(corpus: Corpus, segmentBytes: number, maxBytes: number): Buffer {
  const words = segmentBytes - wordBytes + 1
  const frequencies = corpus.frequencies()
  const counts = new Uint16Array(slotCount)
  const total = corpus.slots.length
  const parts = Math.max(
    1,
    Math.min(Math.floor(maxBytes / segmentBytes / passes), Math.floor(total / segmentBytes / 10)),
  )
  const partBytes = Math.ceil(total / parts)
  const dictionary = Buffer.alloc(maxBytes)
  let begin = maxBytes
  for (let part = 0, empty = 0; begin >= wordBytes && empty < parts; part = (part + 1) % parts) {
    const end = Math.min(total, (part + 1) * partBytes)
    const best = bestSegment(corpus.slots, frequencies, counts, { from: part * partBytes, to: end, words })
    if (best.score === 0) {
      empty++
      continue
    }
    empty = 0
    const { start, end: last } = take(corpus.slots, frequencies, best)
    const bytes = Math.min(last - start + wordBytes - 1, begin)
    corpus.bytes.copy(dictionary, begin - bytes, start, start + bytes)
    begin -= bytes
  }
  return dictionary.subarray(begin)
}

function bestSegment(
  slots: Uint32Array,
  frequencies: Uint32Array,
  counts: Uint16Array,
  { from, to, words }: { readonly from: number; readonly to: number; readonly words: number },
): Segment {
  let best: Segment = { start: from, end: from, score: 0 }
  let score = 0
  let start = from
  for (let end = from; end < to; end++) {
    const slot = slots[end] as number
    if (counts[slot] === 0) score += frequencies[slot] as number
    counts[slot] = (counts[slot] as number) + 1
    if (end - start === words) {
      const first = slots[start++] as number
      counts[first] = (counts[first] as number) - 1
      if (counts[first] === 0) score -= frequencies[first] as number
    }
    if (score > best.score) best = { start, end: end + 1, score }
  }
  for (; start < to; start++) counts[slots[start] as number] = 0
  return best
}

/** Cut unshared bytes off both ends, and let no other segment count these words again. */
function take(slots: Uint32Array, frequencies: Uint32Array, { start, end }: Segment): Omit<Segment, 'score'> {
  const isShared = (at: number): boolean => (frequencies[slots[at] as number] as number) > 0
  let first = start
  let last = end
  while (first < last && !isShared(first)) first++
  while (last > first && !isShared(last - 1)) last--
  for (let at = first; at < last; at++) frequencies[slots[at] as number] = 0
  return { start: first, end: last }
}
