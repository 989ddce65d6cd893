import { type EntityDb, entity, type Group, plain } from '@unikv/entity'
import { type ContentAccess, microExecutions, type Picked } from './calls.ts'

/** Content of a user, of a set, or for a receiver: its owner. */
interface Content {
  readonly owner: number
  /** From 1, within its owner. */
  readonly number: number
  readonly content: string
  /** How often it was updated: their sum over all content is the number of updates, or one was lost. */
  readonly updates: number
}

/** Content that one user sends to another, its owner. */
interface Message extends Content {
  readonly sender: number
}

const keyed = { id: ['owner', 'number'], generated: 'number' } as const

/** Entities that one transaction creates, where each is a record. */
const createdAtOnce = 50

/** The entity types of the benchmark, with all of an owner in a group, or each entity in a group of its own. */
function typesIn(areGrouped: boolean) {
  const group = areGrouped ? (['owner'] as const) : undefined
  const content = (name: string) =>
    entity(name, { schema: plain<Content>(), ...keyed, group, indexes: ['owner'] })
  /** A personal item: only its owner reads and writes it. */
  const Item = content('Item')
  /** A shared item: any user reads and writes it. Its owner is a set. */
  const Shared = content('Shared')
  /** A public post: its owner writes it, any user reads it. */
  const Post = content('Post')
  /** A message: its owner is the receiver, and its sender may change it. */
  const Submission = entity('Submission', {
    schema: plain<Message>(),
    ...keyed,
    group,
    indexes: ['owner', 'sender'],
  })
  const all = [Item, Shared, Post, Submission] as const
  /** The type of a kind. Only messages have a sender. */
  const of = (kind: string): typeof Submission => all.find(({ name }) => name === kind) as typeof Submission
  return { areGrouped, all, Item, Shared, of }
}

/** The entity types of the benchmark. */
export type MicroTypes = ReturnType<typeof typesIn>

/** All of an owner is in one group. */
export const groupedMicro: MicroTypes = typesIn(true)

/** Each entity is a group of its own, and so a record: transactions are over several. */
export const singleMicro: MicroTypes = typesIn(false)

/** The entity types of the benchmark, with all of an owner in a group. */
export const microTypes = groupedMicro.all

/** The work of Micro by an entity database of these types. */
export function microAccess({ of, areGrouped }: MicroTypes): ContentAccess<EntityDb> {
  const groupsOf = (type: ReturnType<typeof of>, { owner, numbers }: Picked): Group | readonly Group[] =>
    areGrouped
      ? type.group({ owner })
      : numbers.map((number) => ({ owner, number })).map((id) => type.group(id))
  return {
    async create(db, kind, content) {
      const { number } = await db.create(of(kind), { ...content, updates: 0 } as Message)
      return number
    },
    async fill(db, kind, owner, contents, first) {
      const type = of(kind)
      const all = contents.map((content) => ({ owner, content, updates: 0 }) as Message)
      const most = areGrouped ? all.length : createdAtOnce
      for (let at = 0; at < all.length; at += most)
        await db.run(groupsOf(type, { owner, numbers: [first + at] }), async (tx) => {
          for (const one of all.slice(at, at + most)) await tx.create(type, one)
        })
    },
    async get(db, kind, id) {
      return [await db.get(of(kind), id)].filter((one) => one !== undefined)
    },
    list: (db, kind, by, id) => db.byIndex(of(kind), by, id),
    update(db, kind, { owner, numbers, content }) {
      const type = of(kind)
      const ids = numbers.map((number) => ({ owner, number }))
      return db.run(groupsOf(type, { owner, numbers }), async (tx) => {
        const found = (await tx.getMany(type, ids)).filter((one) => one !== undefined)
        for (const one of found) await tx.update(type, { ...one, content, updates: one.updates + 1 })
        return found.length
      })
    },
  }
}

/** The interactions of Micro by an entity database. */
export const microByEntities = microExecutions(microAccess(groupedMicro))
