// Files that a user names. One may be a pipe: opening it in the usual way waits for its writer in a thread that nothing can
// end, so that the process outlives SIGTERM.

export { checkNotPipe, readStream } from './read-stream.ts'
export { readWhole, readWholeNow } from './read-whole.ts'
export { writeNew, writeWhole } from './write-whole.ts'
