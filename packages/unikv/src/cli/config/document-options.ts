import type { InheritOptions } from '@unikv/config'
import { StoreError } from '@unikv/core'
import type { Command } from 'commander'
import { collect, list } from '../option-values.ts'

/** Options of every command that reads a document, as the command line gives them. */
export interface DocumentOptions {
  readonly base?: string
  readonly library?: readonly string[]
  readonly allowFolder?: readonly string[]
  readonly allowEnv?: readonly string[]
}

/** Add the options that say what a document is read with. */
export function addDocumentOptions(command: Command): Command {
  return command
    .option('-b, --base <file>', 'document that lies below everything that FILE extends')
    .option(
      '-L, --library <name=folder>',
      'folder of the library that lib:NAME: stands for (repeatable)',
      collect,
    )
    .option('--allow-folder <dir>', 'another folder that files may be read from (repeatable)', collect)
    .option('--allow-env <names>', 'variables of the environment that sys:env may read', list)
}

/**
 * The options as `inherit` takes them.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a library without a name or a folder, or one that is there twice
 */
export function inheritOptionsOf({ base, library, allowFolder, allowEnv }: DocumentOptions): InheritOptions {
  return { base, libraries: librariesOf(library), folders: allowFolder, variables: allowEnv }
}

function librariesOf(given: readonly string[] = []): Readonly<Record<string, string>> {
  const libraries = new Map<string, string>()
  for (const text of given) {
    const [, name, folder] = /^([\w-]+)=(.+)$/s.exec(text) ?? []
    if (name === undefined || folder === undefined)
      throw new StoreError('INVALID_ARGUMENT', `-L: '${text}' must be NAME=FOLDER, such as jobs=./templates.`)
    if (libraries.has(name))
      throw new StoreError('INVALID_ARGUMENT', `-L: the library ${name} was given twice.`)
    libraries.set(name, folder)
  }
  return Object.fromEntries(libraries)
}
