import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Bytes, compose, type Entry, newVersion, type SetMutation, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { encryption, keyring, open, type SealOptions, seal } from '@unikv/encryption'
import { type BudgetLine, budgetRows, repeated } from './measure/micro.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { interleaved, type Outcome } from './measure/rounds.ts'

// What does the envelope cost over the bare cipher? The layer over a store that does nothing, the functions
// without a store, and Node's own createCipheriv, in turn in one process; ratios to the bare cipher.

const rounds = Number(process.env['ROUNDS'] ?? 7)
const durationMs = Number(process.env['DURATION_MS'] ?? 150)
const sizes = [100, 1024, 65_536, 1_048_576]
const batchItems = 64

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
const at = { keys, dataset: 'bench', key: 'user:1' }
const rawKey = randomBytes(32)
const nonce = randomBytes(12)
const version = newVersion()

/** A store that keeps nothing, and answers every read with one entry. */
function nothing(value: Bytes): Store<Bytes> {
  const entry: Entry<Bytes> = { value, version, expiresAt: undefined }
  return {
    ...memory(),
    read: (reads) => reads.map(() => entry),
    write: (mutations) => mutations.map(() => ({ version })),
  }
}

function bareSeal(value: Bytes): readonly Buffer[] {
  const cipher = createCipheriv('aes-256-gcm', rawKey, nonce, { authTagLength: 16 })
  return [cipher.update(value), cipher.final(), cipher.getAuthTag()]
}

/** As one byte string, which is what a store takes. */
function joinedSeal(value: Bytes): Buffer {
  return Buffer.concat([nonce, ...bareSeal(value)])
}

function bareOpen(ciphertext: Bytes, tag: Bytes): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', rawKey, nonce, { authTagLength: 16 })
  decipher.setAuthTag(tag)
  const value = decipher.update(ciphertext)
  decipher.final()
  return value
}

const call = callOptions()
const layerFor = (value: Bytes): Store<Bytes> =>
  compose(nothing(value), [encryption({ dataset: 'bench', keys })])
const set = (key: string, value: Bytes): SetMutation<Bytes> => ({ type: 'set', key, version, value })

async function atSize(
  size: number,
): Promise<{ readonly seal: readonly Outcome[]; readonly open: readonly Outcome[] }> {
  const value = randomBytes(size)
  const [ciphertext, , tag] = bareSeal(value) as [Buffer, Buffer, Buffer]
  const envelope = seal(value, at)
  const layer = layerFor(envelope)
  const mutations = [set(at.key, value)]
  const reads = [{ key: at.key }]
  const options = { durationMs }
  return {
    seal: await interleaved(
      [
        repeated('bare createCipheriv', () => bareSeal(value), options),
        repeated('layer', () => layer.write(mutations, call), options),
        repeated('seal()', () => seal(value, at), options),
        repeated('bare, joined to one record', () => joinedSeal(value), options),
      ],
      rounds,
    ),
    open: await interleaved(
      [
        repeated('bare createDecipheriv', () => bareOpen(ciphertext, tag), options),
        repeated('layer', () => layer.read(reads, call), options),
        repeated('open()', () => open(envelope, at), options),
      ],
      rounds,
    ),
  }
}

/** A record alone against a record of a batch that shares its derivation, both through the layer. */
async function batches(
  size: number,
): Promise<{ readonly seal: readonly Outcome[]; readonly open: readonly Outcome[] }> {
  const value = randomBytes(size)
  const batch = Array.from({ length: batchItems }, (_, i) => set(`user:${i}`, value))
  const stored = memory()
  const sealed = compose(stored, [encryption({ dataset: 'bench', keys })])
  await sealed.write(batch, call)
  const entries = (await stored.read(
    batch.map(({ key }) => ({ key })),
    call,
  )) as readonly Entry<Bytes>[]
  const canned = compose(
    { ...nothing(value), read: (reads) => (reads.length === 1 ? entries.slice(0, 1) : entries) },
    [encryption({ dataset: 'bench', keys })],
  )
  const reads = batch.map(({ key }) => ({ key }))
  const perBatch = { durationMs, perCall: batchItems }
  return {
    seal: await interleaved(
      [
        repeated('a record alone', () => canned.write(batch.slice(0, 1), call), { durationMs }),
        repeated(`one of ${batchItems}`, () => canned.write(batch, call), perBatch),
      ],
      rounds,
    ),
    open: await interleaved(
      [
        repeated('a record alone', () => canned.read(reads.slice(0, 1), call), { durationMs }),
        repeated(`one of ${batchItems}`, () => canned.read(reads, call), perBatch),
      ],
      rounds,
    ),
  }
}

/** Forms that an envelope can have, the default first. */
const forms: Readonly<Record<string, Partial<SealOptions>>> = {
  'AES-256-GCM': {},
  'AES-128-GCM': { algorithm: 'aes-128-gcm' },
  'ChaCha20-Poly1305': { algorithm: 'chacha20-poly1305' },
  'padded by Padmé': { padding: 'padme' },
  'in chunks of 256 KiB': { chunkAboveBytes: 0 },
}

/** Each form against the default one. */
async function inForms(
  size: number,
): Promise<{ readonly seal: readonly Outcome[]; readonly open: readonly Outcome[] }> {
  const value = randomBytes(size)
  const each = Object.entries(forms).map(([name, form]) => {
    const envelope = seal(value, { ...at, ...form })
    return { name, seal: () => seal(value, { ...at, ...form }), open: () => open(envelope, at) }
  })
  const options = { durationMs }
  return {
    seal: await interleaved(
      each.map((one) => repeated(one.name, one.seal, options)),
      rounds,
    ),
    open: await interleaved(
      each.map((one) => repeated(one.name, one.open, options)),
      rounds,
    ),
  }
}

const bySize = new Map<number, Awaited<ReturnType<typeof atSize>>>()
for (const size of sizes) bySize.set(size, await atSize(size))
const shared = await batches(1024)
const formSizes = [1024, 1_048_576, 33_554_432]
const byForm = new Map<number, Awaited<ReturnType<typeof inForms>>>()
for (const size of formSizes) byForm.set(size, await inForms(size))

const rowsOf = (title: string, outcomes: readonly Outcome[], size: number): string[][] =>
  outcomes.map(({ name, p50Us, opsPerSecond, throughputRatio }) => [
    title,
    name,
    p50Us.toFixed(1),
    ((opsPerSecond * size) / 1e9).toFixed(2),
    times(throughputRatio),
  ])
printTable(
  `AES-256-GCM, medians of ${rounds} interleaved rounds`,
  ['case', 'contestant', 'µs', 'GB/s', 'to the first'],
  [
    ...Array.from(bySize).flatMap(([size, { seal: sealing, open: opening }]) => [
      ...rowsOf(`seal ${size} B`, sealing, size),
      ...rowsOf(`open ${size} B`, opening, size),
    ]),
    ...rowsOf('seal 1024 B', shared.seal, 1024),
    ...rowsOf('open 1024 B', shared.open, 1024),
  ],
)

printTable(
  `seal() and open(), suites and flags, medians of ${rounds} interleaved rounds`,
  ['case', 'form', 'µs', 'GB/s', 'to the first'],
  Array.from(byForm).flatMap(([size, { seal: sealing, open: opening }]) => [
    ...rowsOf(`seal ${size} B`, sealing, size),
    ...rowsOf(`open ${size} B`, opening, size),
  ]),
)

const of = (size: number, way: 'seal' | 'open'): Outcome => bySize.get(size)?.[way][1] as Outcome
const gigabytes = ({ opsPerSecond }: Outcome, size: number): number => (opsPerSecond * size) / 1e9
const budget: readonly BudgetLine[] = (['seal', 'open'] as const).flatMap((way) => {
  const small = of(1024, way).p50Us
  const large = of(1_048_576, way)
  const each = shared[way][1]?.latencyRatio as number
  return [
    { what: `${way} 1 KiB`, limit: '≤ 15 µs', measured: `${small.toFixed(1)} µs`, kept: small <= 15 },
    {
      what: `${way} 1 MiB to the bare cipher`,
      limit: '≥ 0.85 ×',
      measured: times(large.throughputRatio),
      kept: large.throughputRatio >= 0.85,
    },
    {
      what: `${way} 1 MiB, warm`,
      limit: '≥ 1.4 GB/s',
      measured: `${gigabytes(large, 1_048_576).toFixed(2)} GB/s`,
      kept: gigabytes(large, 1_048_576) >= 1.4,
    },
    {
      what: `${way}, one of ${batchItems} to a record alone`,
      limit: '≤ 0.6 ×',
      measured: times(each),
      kept: each <= 0.6,
    },
  ]
})
const overhead = seal(randomBytes(1), at).length - 1
const lines: readonly BudgetLine[] = [
  ...budget,
  {
    what: 'bytes an envelope adds (main, k1)',
    limit: '≤ 112',
    measured: String(overhead),
    kept: overhead <= 112,
  },
]
printTable('Budget', ['what', 'limit', 'measured', 'verdict'], budgetRows(lines))
await writeResults('encryption', {
  rounds,
  durationMs,
  sizes: Object.fromEntries(bySize),
  batch: shared,
  forms: Object.fromEntries(byForm),
  budget: lines,
})
