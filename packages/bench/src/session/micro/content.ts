import { type EntityType, entity, plain } from '@unikv/entity'

/** Content of a user, of a set, or for a receiver: its owner. */
export interface Content {
  readonly owner: number
  /** From 1, within its owner. */
  readonly number: number
  readonly content: string
  /** How often it was updated: their sum over all content is the number of updates, or one was lost. */
  readonly updates: number
}

/** Content that one user sends to another, its owner. */
export interface Message extends Content {
  readonly sender: number
}

type ContentType = EntityType<Content, 'owner' | 'number', 'number', 'owner', 'owner'>

/** A personal item: only its owner reads and writes it. */
export const Item: ContentType = contentType('Item')
/** A shared item: any user reads and writes it. Its owner is a set. */
export const Shared: ContentType = contentType('Shared')
/** A public post: its owner writes it, any user reads it. */
export const Post: ContentType = contentType('Post')
/** A message: its owner is the receiver, and its sender may change it. */
export const Submission: EntityType<Message, 'owner' | 'number', 'number', 'owner', 'owner' | 'sender'> =
  entity('Submission', {
    schema: plain<Message>(),
    id: ['owner', 'number'],
    generated: 'number',
    group: ['owner'],
    indexes: ['owner', 'sender'],
  })

/** The entity types of the benchmark. */
export const microTypes: readonly [ContentType, ContentType, ContentType, typeof Submission] = [
  Item,
  Shared,
  Post,
  Submission,
]

function contentType(name: string): ContentType {
  return entity(name, {
    schema: plain<Content>(),
    id: ['owner', 'number'],
    generated: 'number',
    group: ['owner'],
    indexes: ['owner'],
  })
}
