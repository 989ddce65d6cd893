import { constants } from 'node:fs'
import type { Random } from '@unikv/test-kit/schedules'
import type { FileLook, FileSystem } from '../../src/disk/file-system.ts'

/*
 * A disk whose power can be cut. Processes see what they wrote; a crash leaves what POSIX promises and no more:
 *
 * - the bytes of a file are what they were at its last flush; of what was written since, everything, nothing or a
 *   part may be there, or the length with zeros;
 * - the names in a folder are what they were at its last flush; of what was made, removed or renamed since, each
 *   step may have happened or not, whatever happened to the others. A rename is one step;
 * - flushing a file says nothing about its name, flushing a folder nothing about the bytes of its files.
 */

interface FileNode {
  readonly kind: 'file'
  bytes: Buffer
  flushed: Buffer
}

interface FolderNode {
  readonly kind: 'folder'
  names: Map<string, Node>
  flushed: Map<string, Node>
  /** What happened to the names since the last flush. */
  steps: ((names: Map<string, Node>) => void)[]
}

type Node = FileNode | FolderNode

/** What shall not reach the disk: to show that a proof notices it. */
export interface Defects {
  readonly dropsFileFlush?: boolean
  readonly dropsFolderFlush?: boolean
}

/** A disk. Every call of `system` is done at once. */
export class ModelDisk {
  readonly #root: FolderNode
  readonly #defects: Defects
  readonly #open = new Map<number, Node>()
  #lastDescriptor = 2
  readonly #ids = new WeakMap<Node, string>()
  #lastId = 0

  constructor(defects: Defects = {}, root: FolderNode = newFolder()) {
    this.#defects = defects
    this.#root = root
  }

  /** The disk after the power was cut. */
  crashed(random: Random): ModelDisk {
    const copies = new Map<Node, Node>()
    return new ModelDisk(this.#defects, afterCrash(this.#root, random, copies) as FolderNode)
  }

  /** The same disk, with defects from now on. */
  with(defects: Defects): ModelDisk {
    return new ModelDisk(defects, this.#root)
  }

  /** All names of files, as paths. */
  paths(): string[] {
    return pathsIn(this.#root, '')
  }

  readonly system: FileSystem = {
    blocks: true,
    read: (path, maxBytes) => Buffer.from(fileOf(this.#node(path)).bytes.subarray(0, maxBytes)),
    open: (path, flags) => {
      const node = (flags & constants.O_CREAT) === 0 ? this.#node(path) : this.#create(path)
      this.#open.set(++this.#lastDescriptor, node)
      return this.#lastDescriptor
    },
    write: (descriptor, bytes) => {
      const file = fileOf(this.#opened(descriptor))
      file.bytes = Buffer.concat([file.bytes, bytes])
      return bytes.length
    },
    flush: (descriptor) => this.#flush(this.#opened(descriptor)),
    close: (descriptor) => void this.#open.delete(descriptor),
    look: (path): FileLook => ({
      kind: this.#node(path).kind,
      id: this.#idOf(this.#node(path)),
      modifiedNs: 0n,
      changedAt: 0,
    }),
    list: (path) => [...this.#folder(path).names.keys()],
    makeFolder: (path) => {
      const { folder, name } = this.#parent(path)
      if (folder.names.has(name)) throw failure('EEXIST')
      put(folder, name, newFolder())
    },
    removeFolder: (path) => {
      if (this.#folder(path).names.size > 0) throw failure('ENOTEMPTY')
      const { folder, name } = this.#parent(path)
      drop(folder, name)
    },
    link: (path, newPath) => {
      const node = this.#node(path)
      const { folder, name } = this.#parent(newPath)
      if (folder.names.has(name)) throw failure('EEXIST')
      put(folder, name, node)
    },
    rename: (path, newPath) => this.#rename(path, newPath),
    remove: (path) => {
      this.#node(path)
      const { folder, name } = this.#parent(path)
      drop(folder, name)
    },
    touch: (path) => void this.#node(path),
    pause: () => {},
  }

  #idOf(node: Node): string {
    const id = this.#ids.get(node) ?? String(++this.#lastId)
    this.#ids.set(node, id)
    return id
  }

  #create(path: string): Node {
    const { folder, name } = this.#parent(path)
    if (folder.names.has(name)) throw failure('EEXIST')
    const file: FileNode = { kind: 'file', bytes: Buffer.alloc(0), flushed: Buffer.alloc(0) }
    put(folder, name, file)
    return file
  }

  #rename(path: string, newPath: string): void {
    const node = this.#node(path)
    const { folder, name } = this.#parent(path)
    const { folder: newFolder_, name: newName } = this.#parent(newPath)
    if (folder !== newFolder_) throw new Error('The store renames within a folder only.')
    const there = folder.names.get(newName)
    if (there?.kind === 'folder' && there.names.size > 0) throw failure('ENOTEMPTY')
    const step = (names: Map<string, Node>) => {
      names.delete(name)
      names.set(newName, node)
    }
    step(folder.names)
    folder.steps.push(step)
  }

  #flush(node: Node): void {
    if (node.kind === 'file') {
      if (this.#defects.dropsFileFlush !== true) node.flushed = node.bytes
    } else if (this.#defects.dropsFolderFlush !== true) {
      node.flushed = new Map(node.names)
      node.steps = []
    }
  }

  #opened(descriptor: number): Node {
    const node = this.#open.get(descriptor)
    if (node === undefined) throw failure('EBADF')
    return node
  }

  #folder(path: string): FolderNode {
    const node = this.#node(path)
    if (node.kind !== 'folder') throw failure('ENOTDIR')
    return node
  }

  #parent(path: string): { folder: FolderNode; name: string } {
    const end = path.lastIndexOf('/')
    return { folder: this.#folder(path.slice(0, end)), name: path.slice(end + 1) }
  }

  #node(path: string): Node {
    let node: Node | undefined = this.#root
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (node?.kind !== 'folder') throw failure(node === undefined ? 'ENOENT' : 'ENOTDIR')
      node = node.names.get(name)
    }
    if (node === undefined) throw failure('ENOENT')
    return node
  }
}

function fileOf(node: Node): FileNode {
  if (node.kind !== 'file') throw failure('EISDIR')
  return node
}

function newFolder(): FolderNode {
  return { kind: 'folder', names: new Map(), flushed: new Map(), steps: [] }
}

function put(folder: FolderNode, name: string, node: Node): void {
  folder.names.set(name, node)
  folder.steps.push((names) => names.set(name, node))
}

function drop(folder: FolderNode, name: string): void {
  folder.names.delete(name)
  folder.steps.push((names) => names.delete(name))
}

/** What a node is after the crash, the same for all its names. */
function afterCrash(node: Node, random: Random, copies: Map<Node, Node>): Node {
  const done = copies.get(node)
  if (done !== undefined) return done
  if (node.kind === 'file') {
    const bytes = bytesAfterCrash(node, random)
    const file: FileNode = { kind: 'file', bytes, flushed: bytes }
    copies.set(node, file)
    return file
  }
  const names = new Map(node.flushed)
  // Now and then nothing that was not flushed is there, or all of it.
  const chance = random.pick([0, 0.3, 0.5, 0.7, 1])
  for (const step of node.steps) if (random.next() < chance) step(names)
  const folder = newFolder()
  for (const [name, child] of names) folder.names.set(name, afterCrash(child, random, copies))
  folder.flushed = new Map(folder.names)
  copies.set(node, folder)
  return folder
}

function bytesAfterCrash({ bytes, flushed }: FileNode, random: Random): Buffer {
  if (bytes === flushed) return bytes
  const length = random.below(bytes.length + 1)
  const kind = random.below(4)
  if (kind === 0) return flushed
  if (kind === 1) return bytes
  const part = bytes.subarray(0, length)
  return kind === 2 ? part : Buffer.concat([part, Buffer.alloc(bytes.length - length)])
}

function pathsIn(folder: FolderNode, path: string): string[] {
  return [...folder.names].flatMap(([name, node]) =>
    node.kind === 'file' ? [`${path}/${name}`] : pathsIn(node, `${path}/${name}`),
  )
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'model' })
}
