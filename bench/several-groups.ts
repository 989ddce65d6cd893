import { json, keyValue } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import { type EntityDb, entities, entity, type Group, plain } from '@unikv/entity'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { transactional } from '@unikv/transaction'
import { printTable, writeResults } from './measure/report.ts'

// Figure 10 of Strudel in kind: one update of a shared item a transaction, 8,000 items in fewer and fewer groups. Each way has all sizes in turns, so
// that other load of the machine meets them alike.

const rounds = Number(process.env['ROUNDS'] ?? 40)
const durationMs = Number(process.env['DURATION_MS'] ?? 300)
const callers = 64
const stores = (process.env['STORES'] ?? 'redis,postgres').split(',') as ('redis' | 'postgres')[]
const items = 8_000
const sizes = [4, 40, 400] as const

interface Item {
  readonly set: number
  readonly no: number
  readonly content: string
}

/** Items of a set in one group, or each in its own. */
const itemIn = (areGrouped: boolean) =>
  entity('Item', { schema: plain<Item>(), id: ['set', 'no'], group: areGrouped ? ['set'] : undefined })

const [Grouped, Single] = [itemIn(true), itemIn(false)]

/** One way to change items of sets of one size. */
class Contestant {
  readonly name: string
  readonly size: number
  readonly counts: number[] = []
  readonly #db: EntityDb
  readonly #type: typeof Grouped

  constructor(name: string, size: number, db: EntityDb, type: typeof Grouped) {
    this.name = name
    this.size = size
    this.#db = db
    this.#type = type
  }

  async populate(): Promise<void> {
    for (let set = 0; set < items / this.size; set++) {
      const all = Array.from({ length: this.size }, (_, no) => ({ set, no, content: '-'.repeat(100) }))
      await this.#db.run(this.#groupsOf(all), async (tx) => {
        for (const item of all) await tx.create(this.#type, item)
      })
    }
  }

  /** A turn of all callers. Only updates that end in time count. */
  async turn(): Promise<void> {
    const until = performance.now() + durationMs
    let count = 0
    const caller = async (): Promise<void> => {
      while (performance.now() < until) {
        await this.#update()
        if (performance.now() < until) count++
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    this.counts.push(count)
  }

  async #update(): Promise<void> {
    const id = { set: below(items / this.size), no: below(this.size) }
    await this.#db.run(this.#groupsOf([id]), async (tx) => {
      const item = await tx.get(this.#type, id)
      if (item === undefined) throw new Error('All items are there.')
      await tx.update(this.#type, { ...item, content: String(Math.random()).padEnd(100, '-') })
    })
  }

  #groupsOf(ids: readonly { readonly set: number; readonly no: number }[]): Group | readonly Group[] {
    return this.#type === Grouped
      ? Grouped.group({ set: ids[0]?.set ?? 0 })
      : ids.map((id) => Single.group(id))
  }
}

const measured: ReturnType<typeof result>[] = []
for (const store of stores) measured.push(...(await onStore(store)))
printTable(
  `One update by ${callers} callers, ${items} items, ${rounds} turns of ${durationMs} ms`,
  ['', 'a second', 'beside groups of 4', '95 %'],
  measured.map(({ name, size, rate, ratio, least, most }) => [
    `${name}, ${size} in a group`,
    rate.toFixed(0),
    ratio.toFixed(3),
    `${least.toFixed(3)} to ${most.toFixed(3)}`,
  ]),
)
await writeResults('several-groups', { rounds, durationMs, callers, items, measured })

async function onStore(kind: 'redis' | 'postgres') {
  const server = await startServer(kind)
  const { url } = server
  const store =
    kind === 'redis' ? redis({ url, dataset: 'bench' }) : postgres({ url, table: 'bench', prepare: true })
  const log = keyValue(store, [json()]).namespace('log')
  try {
    const all = sizes.flatMap((size) => {
      const own = keyValue(store).namespace('groups').namespace(String(size))
      const joint = keyValue(store, [transactional({ log })])
        .namespace('records')
        .namespace(String(size))
      const options = { retry: 'optimistic', timeoutMs: 60_000 } as const
      return [
        new Contestant(`${kind}, groups in records`, size, entities(own, [Grouped], options), Grouped),
        new Contestant(`${kind}, over records`, size, entities(joint, [Single], options), Single),
      ]
    })
    for (const one of all) await one.populate()
    for (let round = 0; round <= rounds; round++)
      for (const one of all.toSorted(() => Math.random() - 0.5)) await one.turn()
    return all.map((one) => result(one, all)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } finally {
    await store.close()
    await server.stop()
  }
}

/** The rate, beside that of the same way with groups of 4: of the totals, with an interval by drawing rounds again. The first round warms up. */
function result({ name, size, counts }: Contestant, all: readonly Contestant[]) {
  const base = all.find((one) => one.name === name && one.size === sizes[0])?.counts ?? []
  const rounds = Array.from({ length: counts.length - 1 }, (_, i) => i + 1)
  const ratioOf = (at: readonly number[]): number => total(counts, at) / total(base, at)
  const drawn = Array.from({ length: 2_000 }, () => ratioOf(rounds.map(() => 1 + below(rounds.length))))
  drawn.sort((a, b) => a - b)
  const rate = (total(counts, rounds) / rounds.length / durationMs) * 1_000
  return { name, size, rate, ratio: ratioOf(rounds), least: drawn[50] ?? 0, most: drawn[1_949] ?? 0 }
}

function total(counts: readonly number[], at: readonly number[]): number {
  return at.reduce((sum, i) => sum + (counts[i] ?? 0), 0)
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit)
}
