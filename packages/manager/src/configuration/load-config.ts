import { existsSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { checkNotPipe } from '@unikv/core/files'
import { isError } from '@unikv/core/platform'
import { wrong } from '../wrong.ts'
import type { Configuration } from './configuration.ts'
import { dataIn } from './data-file.ts'
import { noteFile } from './from-folder.ts'

const endings = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'yaml', 'yml', 'json']

/**
 * The configuration file of a folder, `unikv.config.ts` or with another ending; `undefined` if there is none.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there are several: one of them would be ignored
 */
export function findConfig(folder: string = process.cwd()): string | undefined {
  const names = endings.map((ending) => `unikv.config.${ending}`)
  const [first, ...others] = names.filter((name) => existsSync(join(folder, name)))
  if (others.length > 0)
    throw wrong(
      folder,
      `it has several configurations: ${[first, ...others].join(', ')}. Keep one, or name the file`,
    )
  return first === undefined ? undefined : join(folder, first)
}

/**
 * The configuration in a file: the default export of a module, or YAML or JSON. It is checked when it is opened. Relative paths in
 * its URLs and in `${file:path}` count from the folder of the file.
 *
 * @param file its path, or its `file:` URL @default `unikv.config.*` in the working folder
 * @throws {StoreError} `INVALID_CONFIG` if there is no file, or it cannot be read
 */
export async function loadConfig(file?: string | URL): Promise<Configuration> {
  const path = file instanceof URL ? fileURLToPath(file) : (file ?? findConfig())
  if (path === undefined)
    throw wrong('', `there is no unikv.config.ts, .js, .mjs, .yaml or .json in ${process.cwd()}`)
  if (!existsSync(path)) throw wrong(path, 'there is no such file')
  if (statSync(path).isDirectory()) throw wrong(path, 'it is a folder, not a file')
  const ending = extname(path).slice(1)
  if (!endings.includes(ending)) throw wrong(path, `its name must end with one of ${endings.join(', ')}`)
  const found = ['yaml', 'yml', 'json'].includes(ending) ? await dataIn(path) : await exportOf(path)
  return noteFile(found as Configuration, path)
}

async function exportOf(path: string): Promise<unknown> {
  const loaded = await moduleAt(resolve(path)).catch((cause: unknown) => {
    throw wrong(path, `it cannot be loaded: ${firstLine(cause)}`, cause)
  })
  // TypeScript that was compiled to CommonJS has its default one level below.
  const { __esModule: isCompiled, default: inner } = Object(loaded.default) as Record<string, unknown>
  const found = isCompiled === true ? inner : loaded.default
  if (found === undefined)
    throw wrong(path, 'it must export the configuration as its default: export default defineConfig({ … })')
  return found
}

async function moduleAt(file: string): Promise<{ readonly default?: unknown }> {
  await checkNotPipe(file)
  return imported(file)
}

/** Node.js 20 reads no TypeScript, and later ones read only a part of it. */
const needsCompiler = ['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX']

/** When the modules that were loaded had been changed, in milliseconds. */
const loadedAt = new Map<string, number>()

async function imported(file: string): Promise<{ readonly default?: unknown }> {
  const href = hrefOf(file)
  try {
    return await import(href)
  } catch (error) {
    if (!needsCompiler.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const { createJiti } = await import('jiti')
  return createJiti(pathToFileURL(file).href, { fsCache: false, moduleCache: false }).import(file)
}

/** Node.js evaluates a module once: one that changed since gets a URL of its own. */
function hrefOf(file: string): string {
  const { href } = pathToFileURL(file)
  const { mtimeMs } = statSync(file)
  if (!loadedAt.has(file)) loadedAt.set(file, mtimeMs)
  return loadedAt.get(file) === mtimeMs ? href : `${href}?changed=${mtimeMs}`
}

function firstLine(error: unknown): string {
  return (isError(error) ? error.message : String(error)).split('\n')[0]?.trim() ?? ''
}
