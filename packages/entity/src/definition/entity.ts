import type { OutputOf, Schema } from '@unikv/core'
import { checkOptions, kindOf, type OptionNames, StoreError } from '@unikv/core/adapter'
import { checkDefinition } from './check-definition.ts'
import type {
  Defined,
  Definition,
  EntityType,
  Group,
  IndexOn,
  KeyProperty,
  NumberProperty,
} from './entity-type.ts'
import { keyPartOf } from './key-parts.ts'

const names: OptionNames<Definition<Schema, [], never, never, []>> = {
  schema: true,
  id: true,
  generated: true,
  group: true,
  indexes: true,
}

const aliases = { key: 'id', ids: 'id', parent: 'group', index: 'indexes', generate: 'generated' }

/**
 * Define a type of entities.
 *
 * ```ts
 * const Bid = entity('Bid', {
 *   schema: plain<{ sellerId: number; itemNo: number; bidNo: number; userId: number; amount: number }>(),
 *   id: ['sellerId', 'itemNo', 'bidNo'],
 *   generated: 'bidNo',
 *   group: ['sellerId', 'itemNo'],
 *   indexes: ['userId'],
 * })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function entity<
  S extends Schema,
  const I extends readonly KeyProperty<OutputOf<S>>[],
  const X extends readonly IndexOn<KeyProperty<OutputOf<S>>>[] = readonly [],
  const G extends I[number] & NumberProperty<OutputOf<S>> = never,
  const P extends I[number] = never,
>(name: string, definition: Definition<S, I, G, P, X>): Defined<S, I, G, P, X> {
  checkOptions('entity', definition, names, 'INVALID_CONFIG', aliases)
  const type = typeOf(name, definition)
  checkDefinition(type, (Object(definition) as typeof definition).group)
  return type as unknown as Defined<S, I, G, P, X>
}

function typeOf(
  name: string,
  definition: Definition<Schema, readonly string[], string, string, readonly IndexOn[]>,
): EntityType {
  const { schema, id, generated, group, indexes = [] } = Object(definition) as typeof definition
  const parent = Array.isArray(group) || group === undefined ? undefined : (group as EntityType)
  const groupBy = parent?.groupBy ?? (group as readonly string[] | undefined) ?? id
  return Object.freeze({
    name,
    schema,
    id: listOf(id),
    generated,
    groupBy: listOf(groupBy),
    root: parent?.root ?? name,
    indexes: propertiesOf(indexes),
    group(given: Readonly<Record<string, unknown>>): Group {
      const of = `${name}.group()`
      if (Object(given) !== given)
        throw new StoreError(
          'INVALID_ARGUMENT',
          `${of} takes an object with ${named(this.groupBy)}, got ${kindOf(given)}.`,
        )
      const id = this.groupBy.map((property) => keyPartOf(of, property, given[property]))
      return Object.freeze({ root: this.root, id: Object.freeze(id) })
    },
  })
}

/** Each index as a list of properties; anything else than a list is left to the check. */
function propertiesOf(indexes: readonly IndexOn[]): readonly (readonly string[])[] {
  if (!Array.isArray(indexes)) return indexes as readonly (readonly string[])[]
  return indexes.map((on) => listOf(typeof on === 'string' ? [on] : on))
}

/** A frozen copy; anything else than a list is left to the check. */
function listOf(list: readonly string[]): readonly string[] {
  return Array.isArray(list) ? Object.freeze([...list]) : list
}

function named(properties: readonly string[]): string {
  return properties.map((name) => `\`${name}\``).join(', ')
}
