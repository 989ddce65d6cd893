import type { SqlTable } from './sql-db.ts'

/** The differences between databases. */
export interface Dialect {
  readonly types: Readonly<Record<'integer' | 'text' | 'time', string>>
  /** Type and rule of a column that the database numbers. */
  readonly generated: string
  /** An index beside the columns, without which a column is not numbered; empty if none is needed. */
  numbering(column: string): string
  /** Text behind a table, with a column that is numbered. */
  readonly options: { readonly plain: string; readonly numbered: string }
  /** A statement in the database's own words. */
  translated(text: string): string
}

/** Statements that make a table and its indexes. */
export function creation(table: SqlTable, dialect: Dialect): readonly string[] {
  const { name, columns, key, generated, indexes = [] } = table
  const lines = Object.entries(columns).map(([column, type]) =>
    column === generated ? `"${column}" ${dialect.generated}` : `"${column}" ${dialect.types[type]} NOT NULL`,
  )
  const numbering = generated === undefined ? '' : dialect.numbering(generated)
  const options = generated === undefined ? dialect.options.plain : dialect.options.numbered
  return [
    `CREATE TABLE {${name}} (${[...lines, `PRIMARY KEY ${listed(key)}`].join(', ')}${numbering})${options}`,
    ...indexes.map((index, at) => `CREATE INDEX {${name}_${at}} ON {${name}} ${listed(index)}`),
  ]
}

/** The statement that inserts rows with these columns. */
export function insertion(name: string, columns: readonly string[]): string {
  return `INSERT INTO {${name}} ${listed(columns)} VALUES (${columns.map(() => '?').join(', ')})`
}

/** A statement with the real names of tables. */
export function named(text: string, prefix: string): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => `"${prefix}_${name.toLowerCase()}"`)
}

function listed(columns: readonly string[]): string {
  return `(${columns.map((column) => `"${column}"`).join(', ')})`
}
