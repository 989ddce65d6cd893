import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'

/** An application for one store. */
export interface Prototype {
  /** The store, such as `redis`. */
  readonly name: string
  readonly files: readonly PrototypeFile[]
}

/** A file of an application. Files with the same path are compared with each other. */
export interface PrototypeFile {
  readonly path: string
  readonly text: string
}

const configurationEndings = [
  '.yaml',
  '.yml',
  '.json',
  '.toml',
  '.xml',
  '.properties',
  '.ini',
  '.conf',
  '.env',
]

/** Whether a file is configuration, by its ending. Everything else is code. */
export function isConfiguration(path: string): boolean {
  return configurationEndings.includes(extname(path)) || /(^|[\\/])\.env(\.\w+)?$/.test(path)
}

/** The lines that somebody has to write: neither empty nor only a comment. Indentation does not count. */
export function writtenLines(text: string): readonly string[] {
  const withoutBlocks = text
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
    .replace(/^\s*<!--[\s\S]*?-->\s*$/gm, '')
  return withoutBlocks
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(\/\/|#(?!!)|--\s)/.test(line))
}

/** Folders of tools. */
const leftOut = new Set(['node_modules', 'dist', '.git', '.cache'])

/**
 * A prototype from files and folders.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a path that is not there, or for no files
 */
export async function readPrototype(name: string, paths: readonly string[]): Promise<Prototype> {
  const files = (await Promise.all(paths.map((path) => filesAt(path, name)))).flat()
  if (files.length === 0)
    throw new StoreError('INVALID_ARGUMENT', `${name}: there are no files at ${paths.join(', ')}.`)
  const once = new Map(files.map((file) => [file.path, file]))
  return { name, files: [...once.values()] }
}

async function filesAt(path: string, name: string): Promise<readonly PrototypeFile[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreError('INVALID_ARGUMENT', `${name}: ${path} cannot be read (${cause.code}).`, { cause })
  })
  if (!found.isDirectory()) return [{ path, text: (await readWhole(path)).toString('utf8') }]
  const names = (await readdir(path)).filter((one) => !leftOut.has(one)).toSorted()
  return (await Promise.all(names.map((one) => filesAt(join(path, one), name)))).flat()
}
