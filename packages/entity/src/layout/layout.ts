import type { GroupKey } from '@unikv/core'
import type { KeyPart } from '@unikv/core/keys'
import type { AnyEntityType, Group } from '../definition/entity-type.ts'
import { isKeyPart, keyPartsOf, partsOf, textOf } from '../definition/key-parts.ts'

/*
 * Names of groups, after the prefix of the namespace:
 *   e root group-id…         entities of a group, its indexes and counters
 *   x type index key…        an index outside of groups, one for each of its keys
 *   n type parent-id…        a counter outside of groups
 *
 * Keys in a group of entities:
 *   e type rest-of-id…               an entity
 *   x type index rest-of-key… id…    an entry of an index in the group
 *   n type rest-of-parent-id…        a counter
 *   s                                the mark of the last sweep that removed entries of this group from indexes outside
 */

/** The key of the mark of a sweep. A creation reads it, so that it cannot be committed over a sweep that took its entries for dangling. */
export const sweepKey = 's'

/** `t` and sixteen hexadecimal digits. */
const tokenLength = 17

/** An index, with the place of its entries. */
export interface Index {
  /** Its properties, joined by commas. */
  readonly name: string
  readonly on: readonly string[]
  /** Whether it has all properties of the group. */
  readonly isInside: boolean
}

/** Facts that are worked out once for each type. */
export interface Layout {
  readonly type: AnyEntityType
  readonly indexes: readonly Index[]
  readonly inside: readonly Index[]
  readonly outside: readonly Index[]
  /** Properties of the id that the group does not name. */
  readonly rest: readonly string[]
  /** Properties of the id without the generated one. */
  readonly parent: readonly string[]
  /** Whether the counter of generated ids is in the group. */
  readonly countsInside: boolean
}

/** Whether the group of an entity is known only when it has its generated number. */
export function isNumberedFirst({ type }: Layout): boolean {
  return type.generated !== undefined && type.groupBy.includes(type.generated)
}

/** The places of a type's records. */
export function layoutOf(type: AnyEntityType): Layout {
  const indexes = type.indexes.map((on) => {
    const isInside = type.groupBy.every((property: string) => on.includes(property))
    return { name: on.join(','), on, isInside }
  })
  const outside = indexes.filter(({ isInside }) => !isInside)
  return {
    type,
    indexes,
    inside: indexes.filter(({ isInside }) => isInside),
    outside,
    rest: type.id.filter((property: string) => !type.groupBy.includes(property)),
    parent: type.id.filter((property: string) => property !== type.generated),
    countsInside: outside.length === 0 && !type.groupBy.includes(type.generated as string),
  }
}

/** The name of a group of entities. */
export function groupName({ root, id }: Group): string {
  return `e${textOf([root, ...id])}`
}

/** The group of an entity. */
export function groupOf({ type }: Layout, id: unknown): Group {
  return { root: type.root, id: idParts(type, type.groupBy, id) }
}

/** The key of an entity in its group. */
function entityKey({ type, rest }: Layout, id: unknown): string {
  return `e${textOf([type.name, ...idParts(type, rest, id)])}`
}

/** Where an entity is. */
export function placeOf(layout: Layout, id: unknown): GroupKey {
  return { group: groupName(groupOf(layout, id)), key: entityKey(layout, id) }
}

/** The key of the entity with this rest of its id, as text. */
export function entityKeyOf({ type }: Layout, rest: string): string {
  return `e${textOf([type.name])}${rest}`
}

/** Whether an entity can be in an index: one that was created before the index may lack a property of it. */
export function isIndexed({ on }: Index, entity: Readonly<Record<string, unknown>>): boolean {
  return on.every((property) => isKeyPart(entity[property]))
}

/** How the entries of a key of an index in the group begin. */
export function insidePrefix({ type }: Layout, { name, on }: Index, entity: unknown): string {
  const rest = on.filter((property) => !type.groupBy.includes(property))
  return `x${textOf([type.name, name, ...keyPartsOf(type.name, rest, entity)])}`
}

/** An entry of an index in the group. */
export function insideEntry(layout: Layout, index: Index, entity: unknown): string {
  return insidePrefix(layout, index, entity) + textOf(keyPartsOf(layout.type.name, layout.rest, entity))
}

/** The group that has the entries of a key of an index outside of groups. */
export function outsideGroup({ type }: Layout, { name, on }: Index, entity: unknown): string {
  return `${outsidePrefix(type, name)}${textOf(keyPartsOf(type.name, on, entity))}`
}

/** The key of an entry of an index outside of groups: entries of the same id differ by their tokens. */
export function outsideEntry(layout: Layout, entity: unknown, token: string): string {
  return `${idText(layout, entity)}t${token}`
}

/** The id, as text, and the token of such an entry. */
export function partsOfEntry(key: string): { readonly id: string; readonly token: string } {
  return { id: key.slice(0, -tokenLength), token: key.slice(1 - tokenLength) }
}

/** The text that comes after every entry of this id, and before those of the next one. */
export function afterEntriesOf(layout: Layout, id: unknown): string {
  return `${idText(layout, id)}u`
}

/** How the names of an index's groups begin. */
export function outsidePrefix(type: AnyEntityType, index: string): string {
  return `x${textOf([type.name, index])}`
}

/** The key of an index whose entries this group has. */
export function outsideValues({ on }: Index, group: string): Readonly<Record<string, KeyPart>> {
  return named(on, partsOf(group.slice(1)).slice(2))
}

/** The id of an entity, as text. */
export function idText({ type }: Layout, id: unknown): string {
  return textOf(idParts(type, type.id, id))
}

/** Properties of an id. A wrong one is told with all that an id has, and not with those alone that are asked for here. */
function idParts(type: AnyEntityType, properties: readonly string[], id: unknown): readonly KeyPart[] {
  if (Object(id) !== id || Array.isArray(id)) keyPartsOf(`the id of ${type.name}`, type.id, id)
  return keyPartsOf(type.name, properties, id)
}

/** The id that such a text says. */
export function idOf({ type }: Layout, text: string): Readonly<Record<string, KeyPart>> {
  return named(type.id, partsOf(text))
}

/** The group and the key of the counter of an entity's generated id. */
export function counterPlace(layout: Layout, entity: unknown): GroupKey {
  const { type, parent, countsInside } = layout
  if (!countsInside)
    return { group: `n${textOf([type.name, ...keyPartsOf(type.name, parent, entity)])}`, key: 'n' }
  const rest = parent.filter((property) => !type.groupBy.includes(property))
  const key = `n${textOf([type.name, ...keyPartsOf(type.name, rest, entity)])}`
  return { group: groupName(groupOf(layout, entity)), key }
}

/** Values by the names of their properties. */
export function named(
  properties: readonly string[],
  values: readonly KeyPart[],
): Readonly<Record<string, KeyPart>> {
  return Object.fromEntries(properties.map((property, at) => [property, values[at] as KeyPart]))
}
