import {
  type DeclaredIndex,
  type FieldPath,
  headLength,
  type IndexedSqlField,
  type SqlField,
} from '@unikv/core/adapter'

// The parts of a field in SQL, and indexes over them.

/** Writes a text into a statement. */
type Write = (text: string) => string

/** The parts of the field at this path of a document. */
export function fieldOf(path: FieldPath, write: Write): SqlField {
  return partsOf(...(isPlain(path) ? plainParts : steppedParts)(path, write))
}

/** The same of a field that is declared, as its index has it: SQLite compares no parameter with the expression of an index. */
export function indexedFieldOf(path: FieldPath): IndexedSqlField {
  const [type, value] = plainParts(path, quoted)
  const { rank, boolean, number, text } = partsOf(type, value)
  return {
    rank,
    boolean,
    number,
    text,
    indexNumber: `CASE ${type} WHEN 'true' THEN 1.0 WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value} ELSE 0.0 END`,
    indexHead: `substr(CASE ${type} WHEN 'text' THEN ${value} ELSE '' END, 1, ${headLength})`,
  }
}

/** A constant. Paths hold no U+0000. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Whether JSON writes all names as they are: only such names can stand in a path of SQLite, and in an index. */
export function isPlain(path: FieldPath): boolean {
  return path.every((name) => JSON.stringify(name) === `"${name}"`)
}

/** The type of a field, and its value. */
type Parts = readonly [type: string, value: string]

function plainParts(path: FieldPath, write: Write): Parts {
  const place = write(`$${path.map((name) => `."${name}"`).join('')}`)
  return [`json_type(value, ${place})`, `json_extract(value, ${place})`]
}

/** Property by property: names are compared as they are. */
function steppedParts(path: FieldPath, write: Write): Parts {
  const names = path.map(write)
  const last = names.pop() as string
  const holder = names.reduce(
    (json, name) =>
      `(SELECT e.value FROM json_each(${json}) AS e WHERE e.key = ${name} AND e.type = 'object')`,
    'r.value',
  )
  const part = (column: string): string =>
    `(SELECT e.${column} FROM json_each(${holder}) AS e WHERE e.key = ${last})`
  return [part('type'), part('atom')]
}

/** Numbers are doubles, as in JavaScript: sums of integers do not overflow. */
function partsOf(type: string, value: string): SqlField {
  return {
    rank: `CASE ${type} WHEN 'null' THEN 1 WHEN 'true' THEN 2 WHEN 'false' THEN 2 WHEN 'integer' THEN 3 WHEN 'real' THEN 3
      WHEN 'text' THEN 4 WHEN 'array' THEN 5 WHEN 'object' THEN 5 ELSE 0 END`,
    boolean: `CASE ${type} WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END`,
    number: `CASE ${type} WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value} END`,
    text: `CASE ${type} WHEN 'text' THEN ${value} END`,
    rawText: value,
    rawNumber: `CAST(${value} AS REAL)`,
  }
}

/** Makes a declared index, unless it is there. */
export function createIndex(table: string, { name, paths }: DeclaredIndex): string {
  const parts = paths
    .map(indexedFieldOf)
    .flatMap(({ rank, indexNumber, indexHead }) => [rank, indexNumber, indexHead])
  return `CREATE INDEX IF NOT EXISTS "${name}" ON "${table}" (${[...parts, 'k'].join(', ')})`
}
