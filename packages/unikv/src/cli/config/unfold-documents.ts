import { existsSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import {
  type Document,
  type Element,
  type Inherited,
  inherit,
  placeText,
  type TextFormat,
  toText,
} from '@unikv/config'
import { StoreError } from '@unikv/core'
import { writeNew } from '@unikv/core/files'
import { makeOutputFolder } from '../output-folder.ts'
import type { Terminal } from '../terminal.ts'
import { type DocumentOptions, inheritOptionsOf } from './document-options.ts'
import { indexesOf } from './indexes.ts'

/** Options of `unikv config unfold`, as the command line gives them. */
export interface UnfoldCommandOptions extends DocumentOptions {
  readonly format: TextFormat
  readonly index?: string
  readonly path?: string
  readonly out?: string
  readonly extendsOnly?: boolean
}

/**
 * Unfold a document, and print the results or write a file for each.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a mistake in a document, `INVALID_ARGUMENT` for one on the command line
 */
export async function unfoldDocuments(
  file: string,
  options: UnfoldCommandOptions,
  { out, drained }: Pick<Terminal, 'out' | 'drained'>,
): Promise<void> {
  const inherited = await inherit(file, inheritOptionsOf(options))
  if (options.extendsOnly === true) return out(inheritedText(inherited, options))
  const documents = inherited.unfold(options.index === undefined ? undefined : indexesOf(options.index))
  const texts = documents.map((document) => ({
    index: document.index,
    text: toText(chosen(document, options.path), options.format),
  }))
  if (options.out !== undefined)
    return write(options.out, nameOf(file, inherited.count, options.format), texts)
  for (const [at, { index, text }] of texts.entries()) {
    if ((await drained?.()) === false) return
    out(separator(options.format, at, index) + text)
  }
}

function inheritedText(inherited: Inherited, { format, index, path, out }: UnfoldCommandOptions): string {
  const given = Object.entries({ '-i': index, '-p': path, '-o': out }).find(
    ([, value]) => value !== undefined,
  )
  if (given !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `${given[0]} is for unfolded documents, not for --extends-only.`)
  if (format !== 'properties') return inherited.text(format)
  throw new StoreError(
    'INVALID_ARGUMENT',
    'Properties cannot hold what --extends-only prints. Choose xml, yaml or json.',
  )
}

function chosen(document: Document, path: string | undefined): Document | Element {
  if (path === undefined) return document
  const found = document.at(path)
  if (found !== undefined) return found
  throw new StoreError(
    'INVALID_ARGUMENT',
    `-p: there is no element '${path}' in document ${document.index} (${placeText(document.root)}).`,
  )
}

/** Between documents on one output. XML and JSON tell by themselves where one ends. */
function separator(format: TextFormat, at: number, index: number): string {
  if (format === 'yaml') return at === 0 ? '' : '---\n'
  return format === 'properties' ? `# document ${index}\n` : ''
}

/** Names of files by index, in the order of the documents. */
function nameOf(file: string, count: number, format: TextFormat): (index: number) => string {
  const name = basename(file, extname(file))
  const digits = String(count - 1).length
  return (index) => `${name}-${String(index).padStart(digits, '0')}.${format}`
}

async function write(
  folder: string,
  name: (index: number) => string,
  texts: readonly { readonly index: number; readonly text: string }[],
): Promise<void> {
  makeOutputFolder(folder, 'documents')
  const files = texts.map(({ index, text }) => ({ path: join(folder, name(index)), text }))
  const there = files.find(({ path }) => existsSync(path))
  if (there !== undefined) throw isThere(there.path)
  for (const { path, text } of files) {
    // Another process may have been faster.
    await writeNew(path, text).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST'
        ? isThere(path)
        : new Error(`${path} could not be written (${cause.code}).`, { cause })
    })
  }
}

function isThere(path: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `${path} is there already. Choose another folder, or remove it.`)
}
