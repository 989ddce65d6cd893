import { randomBytes } from 'node:crypto'
import { type Awaitable, compose, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { encryption, keyring, type SealOptions } from '@unikv/encryption'
import { lastValue } from './measure/last-value.ts'
import { repeated } from './measure/micro.ts'
import { processorUs } from './measure/processor-time.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved } from './measure/rounds.ts'

// What does encryption cost by object size, for every cipher (the paper's figure 20)? The layer over a store that does
// nothing: write is encrypt, read is decrypt. CPU is that of the whole process, all threads. Figure 21, compression, is
// compression-sizes.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 50)
const sizes = [16, 128, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]
const algorithms = ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305'] as const

type Algorithm = NonNullable<SealOptions['algorithm']>

/** The cost of one object. CPU in ns a byte of the value. */
interface Row {
  readonly algorithm: Algorithm
  readonly size: number
  /** Bytes of the record over those of the value. */
  readonly growth: number
  readonly writeUs: number
  readonly readUs: number
  readonly writeCpu: number
  readonly readCpu: number
}

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
const call = callOptions()
const version = newVersion()

interface Case {
  readonly algorithm: Algorithm
  readonly write: () => Awaitable<unknown>
  readonly read: () => Awaitable<unknown>
  readonly recordBytes: number
}

async function caseOf(algorithm: Algorithm, size: number): Promise<Case> {
  const value = randomBytes(size)
  const below = lastValue()
  const store = compose(below.store, [encryption({ dataset: 'bench', keys, algorithm })])
  const write = (): Awaitable<unknown> => store.write([{ type: 'set', key: 'k', value, version }], call)
  const read = (): Awaitable<unknown> => store.read([{ key: 'k' }], call)
  await write()
  return { algorithm, write, read, recordBytes: below.value.length }
}

/** All ciphers in turn, both ways. */
async function measure(size: number): Promise<Row[]> {
  const cases = await Promise.all(algorithms.map(async (algorithm) => caseOf(algorithm, size)))
  const outcomes = await interleaved(
    cases.flatMap(({ algorithm, write, read }) => [
      repeated(`${algorithm} write`, write, { durationMs }),
      repeated(`${algorithm} read`, read, { durationMs }),
    ]),
    rounds,
  )
  const rows: Row[] = []
  for (const [i, { algorithm, write, read, recordBytes }] of cases.entries())
    rows.push({
      algorithm,
      size,
      growth: recordBytes / size,
      writeUs: outcomes[2 * i]?.p50Us as number,
      readUs: outcomes[2 * i + 1]?.p50Us as number,
      writeCpu: (await processorUs(write, durationMs)) * (1000 / size),
      readCpu: (await processorUs(read, durationMs)) * (1000 / size),
    })
  return rows
}

const rows: Row[] = []
for (const size of sizes) rows.push(...(await measure(size)))
printTable(
  `Encryption by object size, Node ${process.version}: medians of ${rounds} interleaved rounds`,
  ['cipher', 'bytes', 'record/value', 'write µs', 'read µs', 'write CPU ns/B', 'read CPU ns/B'],
  algorithms.flatMap((algorithm) =>
    rows
      .filter((row) => row.algorithm === algorithm)
      .map((row) => [
        algorithm,
        String(row.size),
        row.growth.toFixed(3),
        row.writeUs.toFixed(1),
        row.readUs.toFixed(1),
        row.writeCpu.toFixed(2),
        row.readCpu.toFixed(2),
      ]),
  ),
)
await writeResults('encryption-sizes', { rounds, durationMs, rows })
