from served import Client


def test_a_form_must_be_one_and_not_too_long(client: Client) -> None:
    refused = client.post("/cases", {"title": "x"}, **{"Content-Type": "text/plain"})
    assert (refused.status, "not a form" in refused.said) == (400, True)
    refused = client.post("/cases", {"title": "x" * 1_100_000})
    assert refused.status == 413
    refused = client.post("/cases", {f"x{number}": "" for number in range(3_000)})
    assert refused.status == 400


def test_names_are_escaped_and_characters_that_act_are_shown(client: Client) -> None:
    title = '<script>alert(1)</script> "\u202e evil {{ 7 * 7 }}'
    name = client.post("/cases", {"title": title}).headers["location"].split("/")[2]
    page = client.get(f"/case/{name}/texts")
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    assert "⟨U+202E⟩" in page.text
    assert "49" not in page.said.split("evil", 1)[1][:20]


def test_an_empty_upload_is_said_to_be_one(client: Client) -> None:
    name = client.post("/cases", {"title": "Empty upload"}).headers["location"].split("/")[2]
    answer = client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, [("", b"")])
    assert (answer.status, "No file was chosen" in answer.said) == (400, True)
    kept, client.token = client.token, "wrong"
    try:
        assert client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, [("", b"")]).status == 403
    finally:
        client.token = kept


def test_terms_lead_to_the_glossary(client: Client) -> None:
    page = client.get("/studies")
    assert 'href="/glossary#corpus"' in page.text
    assert 'id="corpus"' in client.get("/glossary").text
