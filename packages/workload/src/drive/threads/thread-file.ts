/** The program of a thread, which Node runs without help: beside this file, or in the build if this is the source. */
export const threadFile: URL = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/drive/threads/thread.js' : './thread.js',
  import.meta.url,
)
