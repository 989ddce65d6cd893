import {
  type DeclaredIndex,
  type FieldPath,
  headLength,
  type IndexedSqlField,
  openIndexes,
  type SqlField,
} from '@unikv/core/adapter'
import { quotedTable, type Run, type TableOptions } from '../table.ts'

// The parts of a field in SQL, and indexes over them.

/**
 * The parts of the field at this path of a document. A number is exact, as JSONB keeps it. Operators with the name of a property lead into
 * objects only. `write` writes a name into the statement.
 */
export function fieldOf(path: FieldPath, write: (name: string) => string): SqlField {
  const names = path.map(write)
  const json = jsonAt(names)
  const type = `jsonb_typeof${json}`
  return {
    rank: `CASE ${type} WHEN 'null' THEN 1 WHEN 'boolean' THEN 2 WHEN 'number' THEN 3 WHEN 'string' THEN 4
      WHEN 'array' THEN 5 WHEN 'object' THEN 5 ELSE 0 END`,
    boolean: `CASE ${type} WHEN 'boolean' THEN ${json}::bool::int END`,
    number: `CASE ${type} WHEN 'number' THEN ${json}::numeric END`,
    text: `CASE ${type} WHEN 'string' THEN ${json} #>> '{}' END COLLATE "C"`,
    rawText: `(${['value', ...names.slice(0, -1)].join(' -> ')} ->> ${names.at(-1)}) COLLATE "C"`,
  }
}

function jsonAt(names: readonly string[]): string {
  return `(${['value', ...names].join(' -> ')})`
}

/**
 * The same of a field that is declared, as its index has it. Its names are constants, as the server compares no parameter with the
 * expression of an index.
 */
export function indexedFieldOf(path: FieldPath): IndexedSqlField {
  const json = jsonAt(path.map(quoted))
  const type = `jsonb_typeof${json}`
  const text = `CASE ${type} WHEN 'string' THEN ${json} #>> '{}' ELSE '' END COLLATE "C"`
  return {
    ...fieldOf(path, quoted),
    indexNumber: `CASE ${type} WHEN 'number' THEN ${json}::numeric WHEN 'boolean' THEN ${json}::bool::int::numeric ELSE 0 END`,
    indexHead: `left((${text}), ${headLength})`,
  }
}

/** A constant that means the same with every `standard_conforming_strings`. Paths hold no U+0000. */
function quoted(text: string): string {
  return `E'${text.replace(/[\\']/g, '$&$&')}'::text`
}

/**
 * See that the declared indexes are there, and make them if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if one is missing
 */
export function openTableIndexes(run: Run, options: TableOptions): Promise<void> {
  const table = quotedTable(options)
  return openIndexes(options.indexes, {
    prepare: options.prepare,
    remedy: 'Call preparePostgres with these options once, or set prepare: true.',
    look: async () => (await run({ text: lookSql }, [table])).map(([name]) => String(name)),
    make: (index) => run({ text: createIndex(table, index) }, []),
  })
}

/** Those that are being made, or failed, are not valid. */
const lookSql = `SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
  WHERE i.indrelid = to_regclass($1) AND i.indisvalid`

function createIndex(table: string, { name, paths }: DeclaredIndex): string {
  const parts = paths
    .map(indexedFieldOf)
    .flatMap(({ rank, indexNumber, indexHead }) => [rank, indexNumber, indexHead])
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${table} (${parts.map((part) => `(${part})`).join(', ')})`
}
