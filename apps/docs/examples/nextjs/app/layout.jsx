import './site.css';

export const metadata = { title: 'Token sale report', description: 'What a token sale has raised.' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <header>
          <a href="/">Sale report</a> <a href="/admin">For the owner</a>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}
