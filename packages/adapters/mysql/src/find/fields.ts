import { StoreError } from '@unikv/core'
import {
  type DeclaredIndex,
  type FieldPath,
  fieldName,
  fingerprintOf,
  headLength,
  type IndexedSqlField,
  openIndexes,
  type SqlField,
} from '@unikv/core/adapter'
import type { Run, TableOptions } from '../table.ts'

// The parts of a field in SQL, and indexes over them. MariaDB has no index over an expression: the parts of a field that is declared are
// columns that the server computes.

/** Writes bytes into a statement, each time anew. */
type WriteBytes = (value: Buffer) => string

/** The parts of the field at this path of a document. */
export function fieldOf(path: FieldPath, write: WriteBytes): SqlField {
  const json = jsonAt(path, write)
  // In the order of their parameters.
  return {
    rank: rankOf(json),
    boolean: booleanOf(json),
    number: numberOf(json),
    text: textOf(json),
    rawText: rawTextOf(json),
  }
}

/** A value, each time anew. */
type Json = () => string

function rankOf(json: Json): string {
  return `CASE JSON_TYPE(${json()}) WHEN 'NULL' THEN 1 WHEN 'BOOLEAN' THEN 2 WHEN 'STRING' THEN 4 WHEN 'ARRAY' THEN 5
    WHEN 'OBJECT' THEN 5 ELSE IF(${json()} IS NULL, 0, 3) END`
}

function booleanOf(json: Json): string {
  return `CASE JSON_TYPE(${json()}) WHEN 'BOOLEAN' THEN IF(JSON_UNQUOTE(${json()}) = 'true', 1e0, 0e0) END`
}

function numberOf(json: Json): string {
  return `CASE JSON_TYPE(${json()}) WHEN 'NULL' THEN NULL WHEN 'BOOLEAN' THEN NULL WHEN 'STRING' THEN NULL WHEN 'ARRAY' THEN NULL
    WHEN 'OBJECT' THEN NULL ELSE ${json()} + 0e0 END`
}

/** A text as bytes: then no collation counts, and no padding with blanks. */
function textOf(json: Json): string {
  return `CASE JSON_TYPE(${json()}) WHEN 'STRING' THEN ${rawTextOf(json)} END`
}

function rawTextOf(json: Json): string {
  return `CAST(JSON_UNQUOTE(${json()}) AS BINARY)`
}

/** The same of a field that is declared: the server has some of its parts in columns. */
export function indexedFieldOf(path: FieldPath, write: WriteBytes): IndexedSqlField {
  const { rank, number: indexNumber, head: indexHead } = columnsOf(path)
  const json = jsonAt(path, write)
  return {
    rank,
    boolean: booleanOf(json),
    number: numberOf(json),
    text: textOf(json),
    indexNumber,
    indexHead,
  }
}

/** Most names of a path that `stepAt` leads to: the statement doubles with each. */
const mostSteps = 2

function jsonAt(path: FieldPath, write: WriteBytes): Json {
  if (path.filter((name) => name.startsWith('-')).length > mostSteps)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `A path to MySQL and MariaDB has at most ${mostSteps} names that start with a hyphen.`,
    )
  const parts: string[][] = []
  for (const name of path)
    if (parts.length === 0 || isStep([name]) || isStep(parts.at(-1))) parts.push([name])
    else parts.at(-1)?.push(name)
  return parts.reduce(
    (json, names) => (isStep(names) ? stepAt : placeAt)(json, names, write),
    () => 'value',
  )
}

function isStep(names: readonly string[] | undefined): boolean {
  return names?.[0]?.startsWith('-') === true
}

function placeAt(json: () => string, names: readonly string[], write: WriteBytes): () => string {
  const place = Buffer.from(`$${names.map((name) => `.${JSON.stringify(name)}`).join('')}`)
  return () => `JSON_EXTRACT(${json()}, CONVERT(${write(place)} USING utf8mb4))`
}

/** The value at the position of the name in the object: paths of MariaDB find no name that starts with a hyphen. */
function stepAt(json: () => string, [name = '']: readonly string[], write: WriteBytes): () => string {
  return () => `(SELECT JSON_EXTRACT(JSON_EXTRACT(${json()}, '$.*'), CONCAT('$[', MIN(names.i) - 1, ']'))
    FROM JSON_TABLE(JSON_KEYS(${json()}), '$[*]' COLUMNS (i FOR ORDINALITY, name LONGTEXT PATH '$')) AS names
    WHERE CAST(names.name AS BINARY) = ${write(Buffer.from(name))})`
}

/** Whether an index can be over a path. */
export function canIndex(path: FieldPath): boolean {
  return !path.some((name) => name.startsWith('-'))
}

function columnsOf(path: FieldPath): {
  readonly rank: string
  readonly number: string
  readonly head: string
} {
  const tag = fingerprintOf(fieldName(path))
  return { rank: `f_${tag}_rank`, number: `f_${tag}_number`, head: `f_${tag}_head` }
}

/** Most bytes of a character in UTF-8. */
const characterBytes = 4

/** A column and its definition. */
function definitionsOf(path: FieldPath): readonly (readonly [string, string])[] {
  // Digits alone: nothing of a name can be taken for a part of the statement.
  const write: WriteBytes = (value) => `X'${value.toString('hex')}'`
  const json = jsonAt(path, write)
  const number = `CASE JSON_TYPE(${json()}) WHEN 'NULL' THEN 0e0 WHEN 'STRING' THEN 0e0 WHEN 'ARRAY' THEN 0e0 WHEN 'OBJECT' THEN 0e0
    WHEN 'BOOLEAN' THEN IF(JSON_UNQUOTE(${json()}) = 'true', 1e0, 0e0) ELSE IFNULL(${json()} + 0e0, 0e0) END`
  const head = `CASE JSON_TYPE(${json()}) WHEN 'STRING' THEN CAST(LEFT(JSON_UNQUOTE(${json()}), ${headLength}) AS BINARY) ELSE X'' END`
  const columns = columnsOf(path)
  return [
    [columns.rank, `TINYINT AS (${rankOf(json)}) VIRTUAL`],
    [columns.number, `DOUBLE AS (${number}) VIRTUAL`],
    [columns.head, `VARBINARY(${headLength * characterBytes}) AS (${head}) VIRTUAL`],
  ]
}

/**
 * See that the declared indexes are there, and make them if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if one is missing
 */
export function openTableIndexes(run: Run, { table, indexes, prepare }: TableOptions): Promise<void> {
  const names = async (sql: string): Promise<readonly string[]> =>
    (await run<readonly { readonly name: string }[]>(sql, [table])).map(({ name }) => name)
  return openIndexes(indexes, {
    prepare,
    remedy: 'Call prepareMysql with these options once, or set prepare: true.',
    look: () => names(indexesSql),
    make: async (index) => run(addIndex(table, index, await names(columnsSql)), []),
  })
}

const ofTable = 'WHERE table_schema = DATABASE() AND table_name = ?'
const indexesSql = `SELECT DISTINCT index_name AS name FROM information_schema.statistics ${ofTable}`
const columnsSql = `SELECT column_name AS name FROM information_schema.columns ${ofTable}`

/** One step, so that of two processes one does all of it, and the other fails and sees. */
function addIndex(table: string, { name, paths }: DeclaredIndex, present: readonly string[]): string {
  const missing = paths.flatMap(definitionsOf).filter(([column]) => !present.includes(column))
  const columns = missing.map(([column, definition]) => `ADD COLUMN ${column} ${definition}`)
  const key = paths.flatMap((path) => Object.values(columnsOf(path))).join(', ')
  return `ALTER TABLE \`${table}\` ${[...columns, `ADD KEY ${name} (${key})`].join(', ')}`
}
