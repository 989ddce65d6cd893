import { dirname } from 'node:path'
import { readDocument } from '../read/read-document.ts'
import type { Element } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { instead, shownFile, wrongFile } from '../tree/wrong.ts'
import { type ExtendPath, extendPaths } from './extend-path.ts'
import type { Folders } from './folders.ts'

/** A document that was read: its file and its tree, or why there is none. */
export type Source =
  | { readonly file: string; readonly root: Element }
  | { readonly problem: string }
  | { readonly error: unknown }

type Tree = { readonly root: Element } | Exclude<Source, { readonly root: Element }>

/** Names of libraries and their folders. */
export type Libraries = ReadonlyMap<string, string>

/** All files that a document may need. They are read first, so that everything after needs no disk. */
export class Sources {
  readonly #folders: Folders
  readonly #libraries: Libraries
  /** Keys are folder and path. */
  readonly #found = new Map<string, Source>()
  readonly #trees = new Map<string, Tree>()

  constructor(folders: Folders, libraries: Libraries) {
    this.#folders = folders
    this.#libraries = libraries
  }

  /**
   * Read a document, and those that it extends.
   *
   * @throws {StoreError} `INVALID_CONFIG` if the document itself cannot be read
   */
  async load(file: string): Promise<Element> {
    const tree = await this.#tree(file)
    if ('error' in tree) throw tree.error
    if ('problem' in tree) throw wrongFile(shownFile(file), tree.problem)
    const waiting = [tree.root]
    for (let root = waiting.pop(); root !== undefined; root = waiting.pop())
      for (const [path, folder] of pathsIn(root)) waiting.push(...(await this.#follow(path, folder)))
    return tree.root
  }

  /**
   * The document that a path names. It must have been loaded.
   *
   * @param folder of the document that refers to it
   */
  at(path: ExtendPath, folder: string): Source {
    const problem = `'${path.written}' was not read, as one document may extend at most ${limits.paths} different paths`
    return this.#found.get(keyOf(path, folder)) ?? { problem }
  }

  /** The trees that have to be looked through next. */
  async #follow(path: ExtendPath, folder: string): Promise<readonly Element[]> {
    const key = keyOf(path, folder)
    if (path.scheme === 'sys' || this.#found.has(key)) return []
    // A path costs several questions to the disk.
    if (this.#found.size >= limits.paths) return []
    const place = this.#place(path, folder)
    const found = 'problem' in place ? place : await this.#folders.find(place.folder, place.path)
    if ('problem' in found) {
      this.#found.set(key, found)
      return []
    }
    const isNew = !this.#trees.has(found.file)
    const tree = await this.#tree(found.file)
    this.#found.set(key, 'root' in tree ? { file: found.file, root: tree.root } : tree)
    return isNew && 'root' in tree ? [tree.root] : []
  }

  #place(
    { scheme, path }: ExtendPath,
    folder: string,
  ): { readonly folder: string; readonly path: string } | { readonly problem: string } {
    if (scheme === undefined) return { folder, path }
    if (scheme !== 'lib')
      return { problem: `there is no scheme '${scheme}:'. A path has none, or it begins with lib: or sys:` }
    const [, name = '', inside] = /^([^:]*):(.*)$/s.exec(path) ?? []
    if (inside === undefined || inside === '') return { problem: `'lib:${path}' must be lib:NAME:path` }
    const root = this.#libraries.get(name)
    if (root !== undefined) return { folder: root, path: inside }
    return { problem: `there is no library '${name}'. ${instead(name, [...this.#libraries.keys()])}` }
  }

  async #tree(file: string): Promise<Tree> {
    const known = this.#trees.get(file)
    if (known !== undefined) return known
    if (this.#trees.size >= limits.files)
      return { problem: `more than ${limits.files} files would be read for one document` }
    const tree = await readDocument(file).then(
      (root) => ({ root }),
      (error: unknown) => ({ error }),
    )
    this.#trees.set(file, tree)
    return tree
  }
}

function keyOf({ scheme, path }: ExtendPath, folder: string): string {
  return JSON.stringify([scheme === undefined ? folder : scheme, path])
}

/** The paths that elements of a tree extend, with the folder that they are relative to. Wrong ones are told later. */
function* pathsIn(root: Element): Iterable<readonly [ExtendPath, string]> {
  const waiting = [root]
  const seen = new Set<Element>()
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    for (const child of at.children) waiting.push(child)
    const attribute = at.attributes.get('extends')
    const paths = attribute === undefined || attribute === '.' ? [] : extendPaths(attribute)
    if (typeof paths !== 'string') for (const path of paths) yield [path, dirname(at.place.file)]
  }
}
