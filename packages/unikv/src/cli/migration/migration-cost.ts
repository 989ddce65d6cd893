import { diffArrays } from 'diff'
import { isConfiguration, type Prototype, type PrototypeFile, writtenLines } from './prototype.ts'

/** Lines of code and of configuration. */
export interface LineCounts {
  readonly code: number
  readonly configuration: number
}

/** The size of one prototype. */
export interface Size extends LineCounts {
  readonly name: string
}

/** The lines that a move from one store to another costs. */
export interface Migration {
  readonly from: string
  readonly to: string
  /** Lines of the prototype that is moved to which the other one does not have: they must be written. */
  readonly written: LineCounts
  /** Lines that are no longer needed. */
  readonly removed: LineCounts
  /** Written lines as a part of all lines of the prototype that is moved to, 0 to 1. */
  readonly share: number
}

/** The cost of all moves between prototypes. */
export interface MigrationCost {
  readonly sizes: readonly Size[]
  readonly migrations: readonly Migration[]
}

/**
 * Compare prototypes of the same application for several stores, line by line: how many lines does a move cost? Empty lines
 * and comments do not count.
 *
 * Source: the study of data-access middleware (Rafique et al. 2018), tables 9 and 10.
 */
export function migrationCost(prototypes: readonly Prototype[]): MigrationCost {
  const pairs = prototypes.flatMap((from) =>
    prototypes.filter((to) => to !== from).map((to) => ({ from, to })),
  )
  return { sizes: prototypes.map(sizeOf), migrations: pairs.map(({ from, to }) => migrationOf(from, to)) }
}

function sizeOf({ name, files }: Prototype): Size {
  const lines = (isWanted: (path: string) => boolean): number =>
    files.filter(({ path }) => isWanted(path)).reduce((sum, { text }) => sum + writtenLines(text).length, 0)
  return { name, code: lines((path) => !isConfiguration(path)), configuration: lines(isConfiguration) }
}

function migrationOf(from: Prototype, to: Prototype): Migration {
  const code = changesOf(from, to, (path) => !isConfiguration(path))
  const configuration = changesOf(from, to, isConfiguration)
  const written = { code: code.written, configuration: configuration.written }
  const size = sizeOf(to)
  return {
    from: from.name,
    to: to.name,
    written,
    removed: { code: code.removed, configuration: configuration.removed },
    share: (written.code + written.configuration) / (size.code + size.configuration),
  }
}

/** Files of both by path; those of one alone are compared with those of the other alone. */
function changesOf(
  from: Prototype,
  to: Prototype,
  isWanted: (path: string) => boolean,
): { readonly written: number; readonly removed: number } {
  const [before, after] = [from, to].map(({ files }) =>
    files.filter(({ path }) => isWanted(path)),
  ) as unknown as [readonly PrototypeFile[], readonly PrototypeFile[]]
  const shared = before.map(({ path }) => path).filter((path) => after.some((one) => one.path === path))
  const linesAt = (files: readonly PrototypeFile[], wanted: (path: string) => boolean): string[] =>
    files.filter(({ path }) => wanted(path)).flatMap(({ text }) => writtenLines(text))
  const compared = [
    ...shared.map(
      (path) => [linesAt(before, (one) => one === path), linesAt(after, (one) => one === path)] as const,
    ),
    [
      linesAt(before, (one) => !shared.includes(one)),
      linesAt(after, (one) => !shared.includes(one)),
    ] as const,
  ].flatMap(([old, next]) => diffArrays(old, next))
  const count = (isCounted: (change: (typeof compared)[number]) => boolean): number =>
    compared.filter(isCounted).reduce((sum, change) => sum + change.count, 0)
  return { written: count(({ added }) => added), removed: count(({ removed }) => removed) }
}
