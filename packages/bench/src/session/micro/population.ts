import type { EntityDb } from '@unikv/entity'
import type { Draws } from '../model/draws.ts'
import { checkedParameters, type Parameters } from '../model/parameters.ts'
import type { Population } from '../run/populate.ts'
import type { SqlDb } from '../sql/sql-db.ts'
import { microTables } from './by-sql.ts'
import { Item, Post, Shared, Submission } from './content.ts'
import { checkMicro, type MicroParameters, microParameters } from './parameters.ts'

/** Items of a set that are there from the start. */
const itemsPerSet = 50

/** Writes and counts content, by one data access. */
interface ContentWriter<Db> {
  /** Write contents with the numbers from `MIN_SEQ_NO` on, in one transaction. */
  fill(db: Db, kind: 'Item' | 'Shared' | 'Post', owner: number, contents: readonly string[]): Promise<void>
  send(
    db: Db,
    message: { readonly owner: number; readonly sender: number; readonly content: string },
  ): Promise<void>
  count(db: Db, kind: 'Item' | 'Shared' | 'Post', owner: number): Promise<number>
  countSent(db: Db, sender: number): Promise<number>
}

/** The content that is there from the start, by an entity database. */
export function microPopulation(parameters: Partial<MicroParameters> = {}): readonly Population<EntityDb>[] {
  return populations(parameters, byEntities)
}

/** The content that is there from the start, by SQL. */
export function microSqlPopulation(parameters: Partial<MicroParameters> = {}): readonly Population<SqlDb>[] {
  return populations(parameters, bySql(parameters.MIN_SEQ_NO ?? microParameters.MIN_SEQ_NO))
}

function populations<Db>(
  given: Partial<MicroParameters>,
  writer: ContentWriter<Db>,
): readonly Population<Db>[] {
  const declared = { ...microParameters, ITEMS_PER_SET: itemsPerSet }
  const values = checkedParameters({ ...given }, declared) as MicroParameters & Parameters
  checkMicro(values)
  return [users(values, writer), sets(values, writer)]
}

function users<Db>(values: MicroParameters, writer: ContentWriter<Db>): Population<Db> {
  const { MIN_USER_ID, USER_NUM, ITEMS_PER_USER, POSTS_PER_USER, SUBMISSIONS_PER_USER } = values
  return {
    name: 'user',
    first: MIN_USER_ID,
    count: USER_NUM,
    async fill(db, user, draw) {
      await writer.fill(db, 'Item', user, contents(values, ITEMS_PER_USER, draw))
      await writer.fill(db, 'Post', user, contents(values, POSTS_PER_USER, draw))
      for (const content of contents(values, SUBMISSIONS_PER_USER, draw)) {
        const owner = MIN_USER_ID + draw.int(0, USER_NUM - 1)
        await writer.send(db, { owner, sender: user, content })
      }
    },
    async check(db, user) {
      const found = {
        items: await writer.count(db, 'Item', user),
        posts: await writer.count(db, 'Post', user),
        submissions: await writer.countSent(db, user),
      }
      return different(found, {
        items: ITEMS_PER_USER,
        posts: POSTS_PER_USER,
        submissions: SUBMISSIONS_PER_USER,
      })
    },
  }
}

function sets<Db>(values: MicroParameters, writer: ContentWriter<Db>): Population<Db> {
  const { MIN_SET_ID, SET_NUM, ITEMS_PER_SET } = values
  return {
    name: 'set',
    first: MIN_SET_ID,
    count: SET_NUM,
    fill: (db, set, draw) => writer.fill(db, 'Shared', set, contents(values, ITEMS_PER_SET, draw)),
    check: async (db, set) =>
      different({ items: await writer.count(db, 'Shared', set) }, { items: ITEMS_PER_SET }),
  }
}

const types = { Item, Shared, Post }

const byEntities: ContentWriter<EntityDb> = {
  async fill(db, kind, owner, some) {
    if (some.length === 0) return
    await db.run(types[kind].group({ owner }), async (tx) => {
      for (const content of some) await tx.create(types[kind], { owner, content, updates: 0 })
    })
  },
  async send(db, message) {
    await db.create(Submission, { ...message, updates: 0 })
  },
  count: async (db, kind, owner) => (await db.byIndex(types[kind], 'owner', owner)).length,
  countSent: async (db, sender) => (await db.byIndex(Submission, 'sender', sender)).length,
}

/** The database gives numbers of its own only to what sessions create. */
function bySql(first: number): ContentWriter<SqlDb> {
  const count = async (db: SqlDb, kind: string, column: string, id: number): Promise<number> => {
    const text = `SELECT COUNT(*) AS "count" FROM {${kind}} WHERE "${column}" = ?`
    const [row] = await db.rows<{ readonly count: number | string }>(text, [id])
    return Number(row?.count)
  }
  const tableOf = (kind: string) =>
    microTables.find(({ name }) => name === kind) as (typeof microTables)[number]
  return {
    async fill(db, kind, owner, some) {
      await db.run(async (sql) => {
        for (const [index, content] of some.entries())
          await sql.insert(tableOf(kind), { owner, number: first + index, content, updates: 0 })
      })
    },
    async send(db, message) {
      await db.insert(tableOf('Submission'), { ...message, updates: 0 })
    },
    count: (db, kind, owner) => count(db, kind, 'owner', owner),
    countSent: (db, sender) => count(db, 'Submission', 'sender', sender),
  }
}

function contents({ CONTENT_LENGTH }: MicroParameters, count: number, draw: Draws): readonly string[] {
  return Array.from({ length: count }, () => draw.text(CONTENT_LENGTH))
}

function different(
  found: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>>,
): string | undefined {
  const name = Object.keys(wanted).find((one) => found[one] !== wanted[one])
  return name === undefined ? undefined : `it has ${found[name]} ${name}, not ${wanted[name]}`
}
