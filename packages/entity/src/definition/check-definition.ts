import { kindOf, StoreError } from '@unikv/core/adapter'
import type { EntityType } from './entity-type.ts'

/**
 * Refuse a definition that cannot work.
 *
 * @throws {StoreError} `INVALID_CONFIG`, naming the type and the property
 */
export function checkDefinition(type: EntityType, group: unknown): void {
  if (typeof type.name !== 'string' || type.name === '' || !type.name.isWellFormed())
    throw new StoreError(
      'INVALID_CONFIG',
      `The name of an entity type must be a text, got ${kindOf(type.name)}.`,
    )
  checkSchema(type)
  checkProperties(type, 'id', type.id)
  if (type.id.length === 0) throw wrong(type, '`id` must name at least one property')
  if (type.generated !== undefined && !type.id.includes(type.generated))
    throw wrong(
      type,
      `\`generated\` must be a property of the id (${listed(type.id)}), got ${quoted(type.generated)}`,
    )
  checkGroup(type, group)
  checkIndexes(type)
}

function checkSchema({ name, schema }: EntityType): void {
  const standard = (Object(schema) as Partial<EntityType['schema']>)['~standard']
  if (typeof standard?.validate === 'function') return
  const message = `\`schema\` of the entity type ${name} must be a Standard Schema, such as one of zod, or plain<T>(), got ${kindOf(schema)}.`
  throw new StoreError('INVALID_CONFIG', message)
}

function checkGroup(type: EntityType, group: unknown): void {
  if (group !== undefined && !Array.isArray(group) && typeof (Object(group) as EntityType).root !== 'string')
    throw wrong(type, `\`group\` must be an entity type or a list of properties, got ${kindOf(group)}`)
  checkProperties(type, 'group', type.groupBy)
  if (type.groupBy.length === 0) throw wrong(type, '`group` must name at least one property of the id')
  const missing = type.groupBy.find((property) => !type.id.includes(property))
  if (missing === undefined) return
  const whose = type.root === type.name ? 'the group' : `the group of ${type.root}`
  throw wrong(type, `${quoted(missing)} of ${whose} is not a property of the id (${listed(type.id)})`)
}

function checkIndexes(type: EntityType): void {
  if (!Array.isArray(type.indexes))
    throw wrong(type, `\`indexes\` must be a list, got ${kindOf(type.indexes)}`)
  for (const index of type.indexes) {
    checkProperties(type, 'an index', index)
    if (index.length === 0) throw wrong(type, 'an index must name at least one property')
  }
  const names = type.indexes.map(String)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw wrong(type, `the index on ${twice} is there twice`)
}

function checkProperties(type: EntityType, what: string, properties: unknown): void {
  const isList =
    Array.isArray(properties) &&
    properties.every((name) => typeof name === 'string' && name !== '' && name.isWellFormed())
  if (!isList)
    throw wrong(type, `${what === 'an index' ? what : `\`${what}\``} must be a list of names of properties`)
  const twice = properties.find((name, at) => properties.indexOf(name) !== at)
  if (twice !== undefined) throw wrong(type, `${quoted(twice)} is twice in ${what}`)
}

function wrong({ name }: EntityType, why: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Entity type ${name}: ${why}.`)
}

function listed(properties: readonly string[]): string {
  return properties.map(quoted).join(', ')
}

function quoted(property: unknown): string {
  return `\`${String(property)}\``
}
