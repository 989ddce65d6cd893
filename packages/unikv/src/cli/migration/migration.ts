import { StoreError } from '@unikv/core'
import type { Section, Table } from '../columns.ts'
import { type LineCounts, type MigrationCost, migrationCost } from './migration-cost.ts'
import { readPrototype } from './prototype.ts'

/**
 * The cost of moves between prototypes that are given as `NAME=PATH,PATH`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export async function measuredMigration(given: readonly string[]): Promise<MigrationCost> {
  const named = given.map(prototypeOf)
  const [twice] = named.map(({ name }) => name).filter((name, i, all) => all.indexOf(name) !== i)
  if (twice !== undefined) throw wrongUse(`'${twice}' is there twice. Give each prototype a name of its own.`)
  if (named.length < 2) throw wrongUse('Name at least two prototypes, so that they can be compared.')
  return migrationCost(await Promise.all(named.map(({ name, paths }) => readPrototype(name, paths))))
}

function prototypeOf(given: string): { readonly name: string; readonly paths: readonly string[] } {
  const [, name, paths] = /^([^=]+)=(.+)$/.exec(given) ?? []
  if (name === undefined || paths === undefined)
    throw wrongUse(`'${given}' is not a prototype. Write NAME=PATH,PATH, such as redis=src,redis.yaml`)
  return { name, paths: paths.split(',').filter((path) => path !== '') }
}

function wrongUse(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}

/** The tables: sizes, and lines to write for each move. */
export function migrationSections({ sizes, migrations }: MigrationCost): Section[] {
  const size: Table = {
    head: ['prototype', 'lines of code', 'of configuration'],
    rows: sizes.map(({ name, code, configuration }) => [name, String(code), String(configuration)]),
    numbers: [1, 2],
  }
  const names = sizes.map(({ name }) => name)
  const matrix = (kind: keyof LineCounts): Table => ({
    head: ['from \\ to', ...names],
    rows: names.map((from) => [
      from,
      ...names.map((to) => {
        const found = migrations.find((one) => one.from === from && one.to === to)
        const whole = sizes.find(({ name }) => name === to)
        return found === undefined || whole === undefined
          ? '–'
          : cell(found.written[kind], whole.code + whole.configuration)
      }),
    ]),
    numbers: names.map((_, i) => i + 1),
  })
  return [
    size,
    'Lines of code to write, and their part of the whole prototype',
    matrix('code'),
    'Lines of configuration to write',
    matrix('configuration'),
  ]
}

function cell(lines: number, of: number): string {
  return `${lines} (${((100 * lines) / of).toFixed(lines === 0 ? 0 : 1)} %)`
}
