import { extname } from 'node:path'

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
