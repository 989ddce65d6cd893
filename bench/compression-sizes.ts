import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CompressionOptions, compression, trainDictionary } from '@unikv/compression'
import { type Awaitable, type Bytes, compose, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { lastValue } from './measure/last-value.ts'
import { type BudgetLine, budgetRows, ratioLine, repeated } from './measure/micro.ts'
import { processorUs } from './measure/processor-time.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved, median } from './measure/rounds.ts'

// What does compression cost by object size, and what does it save (the paper's figure 21, for every
// algorithm; figure 20 is encryption-sizes)? The layer over a store that does nothing; write is compress, read is decompress. CPU is that of the
// whole process, all threads. Then: is a batch of small values at least as fast as the same calls singly?

const rounds = Number(process.env['ROUNDS'] ?? 3)
const durationMs = Number(process.env['DURATION_MS'] ?? 50)
const sizes = [1, 16, 128, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

const json = jsonRecords(2_000_000)
const data: Readonly<Record<string, Buffer>> = { JSON: json, prose: prose(), random: randomBytes(1_048_576) }
const dictionary = trainDictionary(cut(json.subarray(1_048_576), 500), { maxBytes: 16_384 })

const layers: Readonly<Record<string, CompressionOptions>> = {
  gzip: { algorithm: 'gzip' },
  deflate: { algorithm: 'deflate' },
  brotli: { algorithm: 'brotli' },
  zstd: { algorithm: 'zstd' },
  lz4: { algorithm: 'lz4' },
  snappy: { algorithm: 'snappy' },
  'deflate, dictionary': { algorithm: 'deflate', dictionary },
  'zstd, dictionary': { algorithm: 'zstd', dictionary },
}

/** The cost of one object. CPU in ns a byte of the value. */
interface Row {
  readonly data: string
  readonly layer: string
  readonly size: number
  readonly ratio: number
  readonly writeUs: number
  readonly readUs: number
  readonly writeCpu: number
  readonly readCpu: number
}

const call = callOptions()
const version = newVersion()

async function measure(kind: string, layer: string, size: number): Promise<Row> {
  const value = (data[kind] as Buffer).subarray(0, size)
  const below = lastValue()
  const store = compose(below.store, [compression({ minBytes: 0, ...layers[layer] })])
  const write = (): Awaitable<unknown> => store.write([{ type: 'set', key: 'k', value, version }], call)
  const read = (): Awaitable<unknown> => store.read([{ key: 'k' }], call)
  await write()
  const [written, got] = await interleaved(
    [repeated('write', write, { durationMs }), repeated('read', read, { durationMs })],
    rounds,
  )
  return {
    data: kind,
    layer,
    size,
    ratio: size / below.value.length,
    writeUs: written?.p50Us as number,
    readUs: got?.p50Us as number,
    writeCpu: (await processorUs(write, durationMs)) * (1000 / size),
    readCpu: (await processorUs(read, durationMs)) * (1000 / size),
  }
}

/** CPU of one of so many calls, one after the other. */
async function cpuUsOf(work: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

const rows: Row[] = []
for (const kind of Object.keys(data))
  for (const layer of Object.keys(layers))
    if (kind === 'JSON' || !layer.includes('dictionary'))
      for (const size of sizes) rows.push(await measure(kind, layer, size))

for (const kind of Object.keys(data))
  printTable(
    `${kind}, Node ${process.version}: medians of ${rounds} interleaved rounds`,
    ['algorithm', 'bytes', 'ratio', 'write µs', 'read µs', 'write CPU ns/B', 'read CPU ns/B'],
    rows
      .filter((row) => row.data === kind)
      .map((row) => [
        row.layer,
        String(row.size),
        row.ratio.toFixed(2),
        row.writeUs.toFixed(1),
        row.readUs.toFixed(1),
        row.writeCpu.toFixed(1),
        row.readCpu.toFixed(1),
      ]),
  )

const batchItems = 64
const budget: BudgetLine[] = []
for (const layer of Object.keys(layers))
  for (const size of [100, 1024, 4096]) budget.push(...(await batches(layer, size)))
printTable(
  'Budget: CPU of 64 values in a batch, over 64 single calls',
  ['what', 'limit', 'measured', 'verdict'],
  budgetRows(budget),
)
await writeResults('compression-sizes', { rounds, durationMs, rows, budget })

async function batches(layer: string, size: number): Promise<BudgetLine[]> {
  const kv = keyValue(memory(), [compression({ ...layers[layer] })])
  const values = cut(json, size).slice(0, batchItems)
  const entries = values.map((value, i): [string, Bytes] => [`k${i}`, value])
  const keys = entries.map(([key]) => key)
  await kv.setMany(entries)
  const works = [
    (): Promise<unknown> => Promise.all(entries.map(async ([key, value]) => kv.set(key, value))),
    async (): Promise<unknown> => kv.setMany(entries),
    (): Promise<unknown> => Promise.all(keys.map(async (key) => kv.get(key))),
    async (): Promise<unknown> => kv.getMany(keys),
  ]
  // by CPU, in turn: what else runs on the machine counts for nothing
  const costs = works.map((): number[] => [])
  for (let round = 0; round < 9; round++)
    for (const [i, work] of works.entries()) costs[i]?.push(await cpuUsOf(work, 100))
  const [set, setMany, get, getMany] = costs.map(median) as [number, number, number, number]
  return [
    ratioLine(`${layer}, ${size} B: setMany / set`, setMany / set, 'most', 1.05),
    ratioLine(`${layer}, ${size} B: getMany / get`, getMany / get, 'most', 1.05),
  ]
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.min(2000, Math.floor(bytes.length / size)) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

/** Records of customers, one a line. */
function jsonRecords(bytes: number): Buffer {
  const names = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Barbara Liskov', 'Leslie Lamport']
  let text = ''
  for (let n = 1; text.length < bytes; n++) {
    const mixed = Math.imul(n, 0x9e3779b1) >>> 0
    text += `${JSON.stringify({
      id: mixed.toString(16).padStart(8, '0') + Math.imul(mixed, n).toString(16),
      name: names[mixed % 5],
      plan: ['free', 'team', 'enterprise'][mixed % 3],
      createdAt: new Date(1.6e12 + (mixed % 1e11)).toISOString(),
      balance: (mixed % 1_000_000) / 100,
      address: {
        street: `Main Street ${mixed % 200}`,
        city: ['Berlin', 'Oslo', 'Osaka'][mixed % 3],
        postalCode: `${10_000 + (mixed % 80_000)}`,
      },
      preferences: {
        language: mixed % 2 ? 'en' : 'de',
        notifications: { email: mixed % 7 < 4, sms: mixed % 11 < 3 },
      },
    })}\n`
  }
  return Buffer.from(text)
}

/** The documents of this repository, again and again with changes, to 1 MiB. */
function prose(): Buffer {
  const folder = fileURLToPath(new URL('../../docs/guides/', import.meta.url))
  const once = readdirSync(folder)
    .map((name) => readFileSync(folder + name, 'utf8'))
    .join('\n')
  let all = ''
  for (let i = 0; all.length < 1_100_000; i++) all += once.replaceAll('e', String.fromCharCode(97 + (i % 26)))
  return Buffer.from(all).subarray(0, 1_048_576)
}
