import { type EntityDb, entity, plain } from '@unikv/entity'
import { type ContentAccess, microExecutions } from './calls.ts'

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

const keyed = { id: ['owner', 'number'], generated: 'number', group: ['owner'] } as const

function contentType(name: string) {
  return entity(name, { schema: plain<Content>(), ...keyed, indexes: ['owner'] })
}

/** A personal item: only its owner reads and writes it. */
export const Item = contentType('Item')
/** A shared item: any user reads and writes it. Its owner is a set. */
export const Shared = contentType('Shared')
/** A public post: its owner writes it, any user reads it. */
const Post = contentType('Post')
/** A message: its owner is the receiver, and its sender may change it. */
const Submission = entity('Submission', { schema: plain<Message>(), ...keyed, indexes: ['owner', 'sender'] })

/** The entity types of the benchmark. */
export const microTypes = [Item, Shared, Post, Submission] as const

/** The type of a kind. Only messages have a sender. */
function typeOf(kind: string): typeof Submission {
  return microTypes.find(({ name }) => name === kind) as typeof Submission
}

/** The work of Micro by an entity database. */
export const microEntities: ContentAccess<EntityDb> = {
  async create(db, kind, content) {
    const { number } = await db.create(typeOf(kind), { ...content, updates: 0 } as Message)
    return number
  },
  async fill(db, kind, owner, contents) {
    if (contents.length === 0) return
    const type = typeOf(kind)
    await db.run(type.group({ owner }), async (tx) => {
      for (const content of contents) await tx.create(type, { owner, content, updates: 0 } as Message)
    })
  },
  async get(db, kind, id) {
    return [await db.get(typeOf(kind), id)].filter((one) => one !== undefined)
  },
  list: (db, kind, by, id) => db.byIndex(typeOf(kind), by, id),
  update(db, kind, { owner, numbers, content }) {
    const type = typeOf(kind)
    return db.run(type.group({ owner }), async (tx) => {
      const ids = numbers.map((number) => ({ owner, number }))
      const found = (await tx.getMany(type, ids)).filter((one) => one !== undefined)
      for (const one of found) await tx.update(type, { ...one, content, updates: one.updates + 1 })
      return found.length
    })
  },
}

/** The interactions of Micro by an entity database. */
export const microByEntities = microExecutions(microEntities)
