import fs from 'node:fs'
import { pause } from '@unikv/core/platform'
import type { FileLook, FileSystem } from './file-system.ts'
import { readFile, readFileNow } from './read-file.ts'

/** `node:fs` with promises of our own: the event loop goes on while the disk works. */
export const nodeFileSystem: FileSystem = {
  blocks: false,
  read: readFile,
  open: (path, flags) =>
    new Promise((resolve, reject) => {
      fs.open(path, flags, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)))
    }),
  write: (descriptor, bytes) =>
    new Promise((resolve, reject) => {
      fs.write(descriptor, bytes, (error, count) => (error === null ? resolve(count) : reject(error)))
    }),
  flush: (descriptor) => done((callback) => fs.fsync(descriptor, callback)),
  close: (descriptor) => done((callback) => fs.close(descriptor, callback)),
  look: async (path) => lookOf(await fs.promises.lstat(path, { bigint: true })),
  list: (folder) => fs.promises.readdir(folder),
  makeFolder: (path) => done((callback) => fs.mkdir(path, callback)),
  removeFolder: (path) => done((callback) => fs.rmdir(path, callback)),
  link: (path, name) => done((callback) => fs.link(path, name, callback)),
  rename: (path, name) => done((callback) => fs.rename(path, name, callback)),
  remove: (path) => done((callback) => fs.unlink(path, callback)),
  touch: (path) => done((callback) => fs.utimes(path, new Date(), new Date(), callback)),
  pause: (ms) => pause(ms),
}

/** `node:fs` without promises: every call answers at once, and the event loop waits for the disk. */
export const syncFileSystem: FileSystem = {
  blocks: true,
  read: readFileNow,
  open: (path, flags) => fs.openSync(path, flags),
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  flush: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  look: (path) => lookOf(fs.lstatSync(path, { bigint: true })),
  list: (folder) => fs.readdirSync(folder),
  makeFolder: (path) => fs.mkdirSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  link: (path, name) => fs.linkSync(path, name),
  rename: (path, name) => fs.renameSync(path, name),
  remove: (path) => fs.unlinkSync(path),
  touch: (path) => fs.utimesSync(path, new Date(), new Date()),
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
}

/** A call with nothing to tell. `fs.promises` makes more for each call than the call costs. */
function done(call: (callback: fs.NoParamCallback) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error === null ? resolve() : reject(error)))
  })
}

function lookOf(stats: fs.BigIntStats): FileLook {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    id: `${stats.dev}:${stats.ino}`,
    modifiedNs: stats.mtimeNs,
    changedAt: Number(stats.ctimeMs),
  }
}
