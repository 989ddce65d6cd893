import { type Bytes, StoreError } from '@unikv/core'
import { type OptionsOf, oneOf, readOptions, whole } from '@unikv/core/adapter'
import { compressor } from '../compress.ts'
import { Corpus } from './corpus.ts'
import { maxDictionaryBytes } from './dictionary.ts'
import { selectSegments } from './select-segments.ts'

const table = {
  /** Longest dictionary, 256 bytes to 128 KiB. Deflate looks back no further than 32 KiB. @default 16 Ki */
  maxBytes: whole(16_384, 256, maxDictionaryBytes),
  /** The algorithm to tune the dictionary for; it works with both. @default 'deflate' */
  algorithm: oneOf('deflate', ['deflate', 'zstd']),
}

/** How a dictionary is made. */
export interface TrainOptions extends OptionsOf<typeof table> {}

/** The gain of a dictionary, in bytes of the records of samples. */
export interface DictionaryGain {
  readonly samples: number
  /** Size of the samples themselves. */
  readonly bytes: number
  readonly without: number
  readonly with: number
}

/** Fewer samples show no pattern. */
const minSamples = 8

/** More is thinned out: each sample that stays stands for its neighbours. */
const maxCorpusBytes = 16_777_216
const maxTuningBytes = 1_048_576

/** Lengths of the pieces that a dictionary is put together of. Small records share short pieces, pages long ones. */
const segmentBytes = [16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024]

/**
 * Make a dictionary of what samples have in common: the pieces whose substrings occur in the most samples, the best
 * ones last, where a reference to them is shortest. The same samples give the same dictionary. It holds pieces of the samples: keep it as you keep them.
 *
 * Takes about a second of this thread, and memory of five times the samples (of which at most 16 MiB are used).
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for fewer than 8 samples or such that have nothing in common, `INVALID_CONFIG` for a bad
 * option, and for zstd where it is missing
 */
export function trainDictionary(samples: readonly Bytes[], options: TrainOptions = {}): Buffer {
  const { maxBytes, algorithm } = readOptions('trainDictionary', table, options)
  const filled = samples.filter((sample) => sample.length > 0)
  if (filled.length < minSamples)
    throw new StoreError('INVALID_ARGUMENT', `A dictionary needs at least ${minSamples} non-empty samples.`)
  const tuning = thinned(filled, maxTuningBytes)
  const [training, held] = split(tuning)
  const length = bestSegmentLength(training, held, { maxBytes, algorithm })
  const dictionary = selectSegments(new Corpus(thinned(filled, maxCorpusBytes)), length, maxBytes)
  if (dictionary.length > 0) return dictionary
  throw new StoreError('INVALID_ARGUMENT', 'The samples have nothing in common, so a dictionary cannot help.')
}

/**
 * The gain of a dictionary for samples, which should not be those that it was made from.
 *
 * @throws {StoreError} as `compress`
 */
export function dictionaryGain(
  samples: readonly Bytes[],
  dictionary: Bytes,
  options: { readonly algorithm?: 'deflate' | 'zstd' | undefined; readonly level?: number | undefined } = {},
): DictionaryGain {
  const { algorithm = 'deflate', level } = options
  return {
    samples: samples.length,
    bytes: samples.reduce((sum, { length }) => sum + length, 0),
    without: recordBytes(samples, { algorithm, level }),
    with: recordBytes(samples, { algorithm, level, dictionary }),
  }
}

/** Every fourth sample is held out, to choose by. */
function split(samples: readonly Bytes[]): [readonly Bytes[], readonly Bytes[]] {
  return [samples.filter((_, i) => i % 4 !== 3), samples.filter((_, i) => i % 4 === 3)]
}

function bestSegmentLength(
  training: readonly Bytes[],
  held: readonly Bytes[],
  { maxBytes, algorithm }: { readonly maxBytes: number; readonly algorithm: 'deflate' | 'zstd' },
): number {
  const corpus = new Corpus(training)
  const costs = segmentBytes.map((length) => {
    const dictionary = selectSegments(corpus, length, maxBytes)
    return dictionary.length === 0
      ? Number.POSITIVE_INFINITY
      : recordBytes(held, { algorithm, dictionary, minBytes: 0 })
  })
  return segmentBytes[costs.indexOf(Math.min(...costs))] as number
}

function recordBytes(samples: readonly Bytes[], options: Parameters<typeof compressor>[0]): number {
  const pack = compressor({ ...options, threads: false }) as (bytes: Bytes) => Bytes
  return samples.reduce((sum, sample) => sum + pack(sample).length, 0)
}

/** Samples at even distances that are at most `maxBytes` together; the longest are cut. */
function thinned(samples: readonly Bytes[], maxBytes: number): readonly Bytes[] {
  const cut = samples.map((sample) => sample.subarray(0, maxBytes / minSamples))
  const total = cut.reduce((sum, { length }) => sum + length, 0)
  const step = total / maxBytes
  if (step <= 1) return cut
  const kept: Bytes[] = []
  let bytes = 0
  for (let i = 0; i < cut.length; i += step) {
    const sample = cut[Math.floor(i)] as Bytes
    bytes += sample.length
    if (bytes > maxBytes && kept.length >= minSamples) break
    kept.push(sample)
  }
  return kept
}
