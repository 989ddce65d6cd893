import type { EntityDb } from '@unikv/entity'
import type { Executions } from '../model/interaction.ts'
import { emptyResult, type MicroCalls } from './calls.ts'
import { Item, Post, Shared, Submission } from './content.ts'

type ContentType = typeof Item

/** The interactions of Micro by an entity database. */
export const microByEntities: Executions<EntityDb, MicroCalls> = {
  CREATE_ITEM: creating(Item),
  GET_ITEM: getting(Item),
  LIST_ITEM: listing(Item),
  UPDATE_ITEM: updating(Item),
  CREATE_SHARED: creating(Shared),
  GET_SHARED: getting(Shared),
  LIST_SHARED: listing(Shared),
  UPDATE_SHARED: updating(Shared),
  CREATE_POST: creating(Post),
  GET_POST: getting(Post),
  GET_MY_POST: getting(Post),
  LIST_POST: listing(Post),
  LIST_MY_POST: listing(Post),
  UPDATE_POST: updating(Post),
  CREATE_SUBMISSION: async (params, db) => {
    const { number } = await db.create(Submission, { ...params, updates: 0 })
    return { number }
  },
  LIST_SUBMISSION_BY_ME: async ({ sender }, db) => answerOf(await db.byIndex(Submission, 'sender', sender)),
  LIST_SUBMISSION_TO_ME: async ({ owner }, db) => answerOf(await db.byIndex(Submission, 'owner', owner)),
  LIST_SUBMISSION_BY_RECEIVER: async ({ owner }, db) =>
    answerOf(await db.byIndex(Submission, 'owner', owner)),
  UPDATE_SUBMISSION: updating(Submission),
}

function creating(type: ContentType): Executions<EntityDb, MicroCalls>['CREATE_ITEM'] {
  return async (params, db) => {
    const { number } = await db.create(type, { ...params, updates: 0 })
    return { number }
  }
}

function getting(type: ContentType): Executions<EntityDb, MicroCalls>['GET_ITEM'] {
  return async (id, db) => {
    const found = await db.get(type, id)
    return answerOf(found === undefined ? [] : [found])
  }
}

function listing(type: ContentType): Executions<EntityDb, MicroCalls>['LIST_ITEM'] {
  return async ({ owner }, db) => answerOf(await db.byIndex(type, 'owner', owner))
}

/** Read and write some content of one group in one transaction. */
function updating(type: ContentType | typeof Submission): Executions<EntityDb, MicroCalls>['UPDATE_ITEM'] {
  return ({ owner, numbers, content }, db) =>
    db.run(type.group({ owner }), async (tx) => {
      const ids = numbers.map((number) => ({ owner, number }))
      const found = (await tx.getMany(type as ContentType, ids)).filter((one) => one !== undefined)
      for (const one of found)
        await tx.update(type as ContentType, { ...one, content, updates: one.updates + 1 })
      return { updated: found.length, mode: found.length === 0 ? emptyResult : undefined }
    })
}

function answerOf(found: readonly { readonly owner: number; readonly number: number }[]): {
  readonly mode: string | undefined
  readonly found: readonly { readonly owner: number; readonly number: number }[]
} {
  return { found, mode: found.length === 0 ? emptyResult : undefined }
}
