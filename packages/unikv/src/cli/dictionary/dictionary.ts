import { rm } from 'node:fs/promises'
import type { DictionaryGain } from '@unikv/compression'
import { type Bytes, StoreError } from '@unikv/core'
import { writeNew } from '@unikv/core/files'
import { columns } from '../columns.ts'
import { unwritable } from '../output-folder.ts'
import { readSamples } from './samples.ts'

/** The request of `unikv dictionary train`. */
export interface TrainRequest {
  readonly paths: readonly string[]
  readonly out: string
  readonly maxBytes: number
  readonly algorithm: 'deflate' | 'zstd'
  /** Each line is a sample, not each file. */
  readonly lines: boolean
}

/** Below this share of saved bytes a dictionary is not worth its keeping. */
const worthwhile = 0.1

/**
 * Make a dictionary of four fifths of the samples, measure it on the rest, and write it.
 *
 * @returns the report
 * @throws {StoreError} `INVALID_ARGUMENT` for samples that are too few, or an `out` that exists
 */
export async function trainToFile(request: TrainRequest): Promise<string> {
  const { algorithm, maxBytes, out } = request
  await checkNew(out)
  const { dictionaryGain, dictionaryId, trainDictionary } = await import('@unikv/compression')
  const samples = await readSamples(request.paths, request.lines)
  const [training, held] = split(samples)
  const dictionary = trainDictionary(training, { maxBytes, algorithm })
  await write(out, dictionary)
  const gain = dictionaryGain(held, dictionary, { algorithm })
  return [
    `Dictionary ${dictionaryId(dictionary)}: ${dictionary.length} bytes, of ${training.length} samples.\n\n`,
    `${gain.samples} samples held out, as records:\n`,
    gainTable(gain, algorithm),
    `\n${verdict(gain)}`,
    `Written to ${out}. Keep it as long as records use it: they cannot be read without it.\n`,
  ].join('')
}

/** Every fifth sample is held out. */
function split(samples: readonly Bytes[]): [readonly Bytes[], readonly Bytes[]] {
  return [samples.filter((_, i) => i % 5 !== 4), samples.filter((_, i) => i % 5 === 4)]
}

/** Whether it can be written is known before samples are read. */
async function checkNew(path: string): Promise<void> {
  await write(path, new Uint8Array())
  await rm(path)
}

/** A file that exists may be the only copy of a dictionary in use. */
async function write(path: string, bytes: Bytes): Promise<void> {
  await writeNew(path, bytes).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw unwritable(path, cause)
    const message = `${path} already exists, and records may need it. Choose another name.`
    throw new StoreError('INVALID_ARGUMENT', message, { cause })
  })
}

function gainTable(gain: DictionaryGain, algorithm: string): string {
  const row = (what: string, bytes: number): string[] => [
    what,
    String(bytes),
    (gain.bytes / bytes).toFixed(2),
  ]
  return columns(
    ['', 'bytes', 'ratio'],
    [
      row('as they are', gain.bytes),
      row(algorithm, gain.without),
      row(`${algorithm}, dictionary`, gain.with),
    ],
  )
}

function verdict(gain: DictionaryGain): string {
  const saved = 1 - gain.with / gain.without
  const percent = `${(100 * saved).toFixed(0)} %`
  if (saved >= worthwhile) return `The dictionary saves ${percent} of the stored bytes.\n`
  return `Warning: the dictionary saves only ${percent} of the stored bytes. It is not worth it: compress without one.\n`
}
