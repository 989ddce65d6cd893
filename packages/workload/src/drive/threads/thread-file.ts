/**
 * The program of a thread, which Node runs without help: beside this file, or in the build if this is the source.
 * Asked for late: a bundle of CommonJS modules has no URL of its own, and threads do not work from there.
 */
export function threadFile(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? '../../../dist/drive/threads/thread.js' : './thread.js', here)
}
