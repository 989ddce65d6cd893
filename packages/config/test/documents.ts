import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { toJson, type UnfoldOptions, unfold } from '../src/index.ts'

/** A folder of documents, for one file of tests. */
export const folder: string = mkdtempSync(join(tmpdir(), 'unikv-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Write files by name; the path of the last one. */
export function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  let path = ''
  for (const [name, text] of Object.entries(files)) {
    path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return path
}

/** The JSON views of the documents that the last of some files unfolds into. */
export async function views(
  files: Readonly<Record<string, string | Uint8Array>>,
  options?: UnfoldOptions,
): Promise<readonly unknown[]> {
  return (await unfold(written(files), options)).map((document) => toJson(document))
}

/** The only view of a document. */
export async function view(text: string, options?: UnfoldOptions): Promise<unknown> {
  const name = text.trimStart().startsWith('<') ? 'view.xml' : 'view.yaml'
  const [first] = await views({ [name]: text }, options)
  return first
}

/** The message of what goes wrong, with places in the folder of the tests shortened. */
export async function failure(
  files: string | Readonly<Record<string, string | Uint8Array>>,
  options?: UnfoldOptions,
): Promise<string> {
  const given = typeof files === 'string' ? { 'wrong.xml': files } : files
  const error: unknown = await views(given, options).then(
    (found) => new Error(`nothing went wrong: ${JSON.stringify(found).slice(0, 200)}`),
    (one: unknown) => one,
  )
  const { code, message } = error as Error & { readonly code?: string }
  if (code !== 'INVALID_CONFIG') throw error
  return message.replaceAll(`${folder}/`, '')
}
