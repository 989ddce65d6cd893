export const dynamic = 'force-static'
export const revalidate = 3600

/** A route that answers with bytes. */
export async function GET() {
  const response = await fetch(`${process.env.ORIGIN}/feed`, { next: { tags: ['feed'] } })
  return new Response(`<p id="value">${await response.text()}</p>`, {
    headers: { 'content-type': 'text/html' },
  })
}
