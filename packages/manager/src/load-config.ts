import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isError } from '@unikv/core/platform'
import type { Configuration } from './configuration.ts'
import { wrong } from './wrong.ts'

const endings = ['ts', 'mts', 'js', 'mjs', 'cjs', 'yaml', 'yml', 'json'] as const

/** The configuration file of a folder, `unikv.config.ts` or with another ending; `undefined` if there is none. */
export function findConfig(folder: string = process.cwd()): string | undefined {
  return endings.map((ending) => join(folder, `unikv.config.${ending}`)).find((file) => existsSync(file))
}

/**
 * The configuration in a file: the default export of a module, or YAML or JSON. It is checked when it is opened.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is no file, or it cannot be read
 */
export async function loadConfig(file?: string): Promise<Configuration> {
  const path = file ?? findConfig()
  if (path === undefined)
    throw wrong('', `there is no unikv.config.ts, .js, .mjs, .yaml or .json in ${process.cwd()}`)
  if (!existsSync(path)) throw wrong(path, 'there is no such file')
  if (statSync(path).isDirectory()) throw wrong(path, 'it is a folder, not a file')
  return (
    ['.yaml', '.yml', '.json'].includes(extname(path)) ? await dataIn(path) : await exportOf(path)
  ) as Configuration
}

async function dataIn(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw wrong(path, `the file cannot be read (${cause.code})`, cause)
  })
  const { parse } = await import('yaml')
  try {
    return parse(text)
  } catch (cause) {
    throw wrong(path, `it is not ${extname(path) === '.json' ? 'JSON' : 'YAML'}: ${firstLine(cause)}`, cause)
  }
}

async function exportOf(path: string): Promise<unknown> {
  const loaded = await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
    throw wrong(path, `it cannot be loaded: ${firstLine(cause)}${hintFor(cause)}`, cause)
  })
  if (loaded.default === undefined)
    throw wrong(path, 'it must export the configuration as its default: export default defineConfig({ … })')
  return loaded.default
}

/** Node.js before 22.18 does not load TypeScript by itself. */
function hintFor(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') return ''
  return '. Node.js loads TypeScript from 22.18 on; before, run it by tsx, or write unikv.config.mjs'
}

function firstLine(error: unknown): string {
  return (isError(error) ? error.message : String(error)).split('\n')[0] as string
}
