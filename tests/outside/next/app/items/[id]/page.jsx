export const revalidate = 3600

export const generateStaticParams = () => []

/** Pages that are made when they are asked for first. */
export default async function Page({ params }) {
  const { id } = await params
  const response = await fetch(`${process.env.ORIGIN}/items/${id}`, { next: { tags: ['items'] } })
  return <p id="value">{await response.text()}</p>
}
