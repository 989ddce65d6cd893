import { revalidatePath, revalidateTag } from 'next/cache'

/** `?tag=…` is gone at once, with `&profile=max` it is stale; `?path=…` is gone. */
export async function POST(request) {
  const { searchParams } = new URL(request.url)
  const [tag, path, profile] = ['tag', 'path', 'profile'].map((name) => searchParams.get(name))
  if (tag) revalidateTag(tag, profile ?? { expire: 0 })
  if (path) revalidatePath(path)
  return Response.json({ tag, path, profile })
}
