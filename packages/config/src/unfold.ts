import { dirname, resolve } from 'node:path'
import type { Document } from './document.ts'
import { Search } from './evaluate/search.ts'
import { Inheritance } from './extend/inheritance.ts'
import { SystemValues } from './extend/system-values.ts'
import { Folders } from './files/folders.ts'
import { Sources } from './files/sources.ts'
import { Inherited } from './inherited.ts'
import { checkFile, type InheritOptions, type Settings, settingsOf, type UnfoldOptions } from './options.ts'

/**
 * Read a document with everything that it extends, and unfold it. Each document that results has its references and
 * expressions resolved. Without a `foreach` there is one.
 *
 * ```ts
 * for (const job of await unfold('suite.xml')) console.log(job.index, toJson(job))
 * ```
 *
 * @param file XML, YAML, JSON or properties, by the end of its name
 * @throws {StoreError} `INVALID_CONFIG` with file, line and path of what is wrong
 */
export async function unfold(file: string, options: UnfoldOptions = {}): Promise<readonly Document[]> {
  return (await inheritedBy('unfold', file, options)).unfold(options.documents)
}

/**
 * Read a document with everything that it extends, without unfolding it. Its text is what a result keeps, since it needs no
 * other file.
 *
 * @throws {StoreError} `INVALID_CONFIG` with file, line and path of what is wrong
 */
export function inherit(file: string, options: InheritOptions = {}): Promise<Inherited> {
  return inheritedBy('inherit', file, options)
}

async function inheritedBy(
  whose: 'inherit' | 'unfold',
  file: string,
  options: UnfoldOptions,
): Promise<Inherited> {
  const settings = settingsOf(whose, options)
  checkFile('file', file)
  const sources = new Sources(foldersOf(file, settings), settings.libraries)
  const root = await sources.load(resolve(file))
  const below = settings.base === undefined ? undefined : await sources.load(resolve(settings.base))
  const { clock, random, environment, variables } = settings
  const inheritance = new Inheritance(
    sources,
    new SystemValues({ clock, random, environment, allowed: variables }),
  )
  const base = below === undefined ? undefined : inheritance.document(below)
  return new Inherited(inheritance.document(root, base), new Search(settings.monotonicClock))
}

function foldersOf(file: string, { base, libraries, folders }: Settings): Folders {
  const files = [file, ...(base === undefined ? [] : [base])]
  return new Folders([...files.map((one) => dirname(resolve(one))), ...libraries.values(), ...folders])
}
